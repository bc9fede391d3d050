"""Failed nodes: their dependants fail with the same error, without running.

An opaque call or a kernel that raises because of its operands' values would raise again. Its node keeps the error, and
so do its dependants: new ones at once (`node.note_source`), existing ones in one pass when an evaluation finds the
failure. Like an evaluated node, a failed one drops its history, so a loop that continues after a failure needs no extra
memory.

Other errors may not recur: those of memory, files, signals and observers. Floating-point errors belong to all that is
computed together. After these, nodes keep what they need to be evaluated again. Flushes retry neither kind, and neither
counts towards the budget (`Node.poisoned`).
"""
from cpython.object cimport PyObject

cimport cython

from lazyarr._core.ir.fingerprint cimport Walk, stores_nothing
from lazyarr._core.ir.history cimport forget_history, history_is_kept_somewhere
from lazyarr._core.ir.node cimport COMPRESS, OPAQUE, PACKED, Node, forget_pending, has_value
from lazyarr._core.ir.provenance cimport inherit_poison


from lazyarr._core.ir.placeholder import TracedValueError

_OF_VALUES = ArithmeticError, LookupError, TypeError, ValueError
_OF_THE_MOMENT = FloatingPointError, TracedValueError


@cython.final
cdef class Failure:
    """The error of a failed node, as the operation raised it. Calling it raises the error."""

    def __call__(self, *_):
        raise self.again()

    cdef object again(self):
        """Return a fresh copy of the error, which the caller may change."""
        return _copy_of(self.error)


cdef object _copy_of(object error):
    """Return an equal exception without its traceback, which would keep frames alive; None if it cannot be copied."""
    try:
        import copy  # imported at the first failure
        made = copy.copy(error)
        if type(made) is not type(error) or str(made) != str(error):
            return None
    except Exception:  # a user's constructor may reject the stored arguments
        return None
    if hasattr(error, "__notes__"):
        made.__notes__ = list(error.__notes__)
    return made


cdef object remember_failure(Node node, object error, str operation):
    """Store the error that a node's operation raised if it would recur; return the error."""
    if isinstance(error, _OF_VALUES) and not isinstance(error, _OF_THE_MOMENT) and not has_value(node):
        fail_node(node, error, operation)
    return error


cdef int fail_node(Node node, object error, str operation) except -1:
    """Mark a node as failed with a copy of an error, if it can be copied."""
    cdef Failure failure
    kept = _copy_of(error)
    if kept is not None:
        failure = Failure.__new__(Failure)
        failure.operation, failure.serial, failure.error = operation, node.serial, kept
        node.failure, node.poisoned = failure, True
    return 0


cdef int spread_failures(Walk* w) except -1:
    """Mark all walked dependants of failed nodes as failed."""
    cdef Node node
    cdef int i, k
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if has_value(node):
            continue
        for k in range(node.ninputs):
            if (<Node>node.inputs[k]).poisoned:
                inherit_poison(node, <Node>node.inputs[k])
        if node.failure is not None:
            give_up(node)
    return 0


cdef int give_up(Node node) except -1:
    """Drop the history of a failed node. Views, selections and several results keep their kind."""
    forget_pending(node)
    if stores_nothing(node) or node.kind in (COMPRESS, PACKED) or node.pinned or history_is_kept_somewhere():
        return 0
    forget_history(node)
    node.kind, node.attr, node.loop = OPAQUE, 0, NULL
    node.payload = (<Failure>node.failure).operation, node.failure, None
    return 0


cdef list without_failed(PyObject** roots, int count):
    """Return the nodes that have not failed."""
    cdef int i
    return [<Node>roots[i] for i in range(count) if (<Node>roots[i]).failure is None]


cdef object oldest_failure(PyObject** roots, int count):
    """Return the error of the earliest failed operation among the roots."""
    cdef Failure found = None, failure
    cdef int i
    for i in range(count):
        failure = (<Node>roots[i]).failure
        if failure is not None and (found is None or failure.serial < found.serial):
            found = failure
    return found.again()


cdef int exclude_from_flushes(Node root) except -1:
    """Exclude a node that could not be evaluated, and the pending nodes below it, from flushes."""
    cdef list todo = [root]
    cdef Node node
    cdef int k
    while todo:
        node = todo.pop()
        if has_value(node) or node.poisoned and node is not root:
            continue
        node.poisoned = True
        forget_pending(node)
        for k in range(node.ninputs):
            todo.append(<Node>node.inputs[k])
    return 0
