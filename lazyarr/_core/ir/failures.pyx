"""Nodes that fail, and poison: what is computed from them fails with the same error, without being run.

An opaque call or a kernel that raises for the values of its operands would raise again. Its node keeps the error, and
so does each node that is made of it: at once where the error is known already (`node.note_source`), in one pass over
the graph where an evaluation finds it. Such a node gives up how it came about, as one does that has a value: a loop
that goes on behind a failure keeps no more memory than one behind a value.

Other errors may not recur: of memory, files, signals and observers. Floating-point errors belong to everything that is
computed together. After those, nodes keep all they need to be evaluated again when their values are needed. Flushes at
the budget retry neither sort, and neither counts for the budget (`Node.poisoned`).
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
    """The error that a node fails with, as it was when it left the operation. Called, it raises it."""

    def __call__(self, *_):
        raise self.again()

    cdef object again(self):
        """A fresh copy of the error, which the caller may change."""
        return _copy_of(self.error)


cdef object _copy_of(object error):
    """An equal exception without a traceback, which would keep frames and all they hold; None if there is none."""
    try:
        import copy  # not before the first failure
        made = copy.copy(error)
        if type(made) is not type(error) or str(made) != str(error):
            return None
    except Exception:  # whatever the constructor of a user's class says to the arguments that it kept
        return None
    if hasattr(error, "__notes__"):
        made.__notes__ = list(error.__notes__)
    return made


cdef object remember_failure(Node node, object error, str operation):
    """Keep the error that a node's operation raised, if it would raise it again; return the error."""
    if isinstance(error, _OF_VALUES) and not isinstance(error, _OF_THE_MOMENT) and not has_value(node):
        fail_node(node, error, operation)
    return error


cdef int fail_node(Node node, object error, str operation) except -1:
    """Have a node fail with a copy of an error, if there is one."""
    cdef Failure failure
    kept = _copy_of(error)
    if kept is not None:
        failure = Failure.__new__(Failure)
        failure.operation, failure.serial, failure.error = operation, node.serial, kept
        node.failure, node.poisoned = failure, True
    return 0


cdef int spread_failures(Walk* w) except -1:
    """Fail all walked nodes that are computed from a failed node."""
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
    """Let a failed node forget its history. Views, selections and several results stay what they are."""
    forget_pending(node)
    if stores_nothing(node) or node.kind in (COMPRESS, PACKED) or node.pinned or history_is_kept_somewhere():
        return 0
    forget_history(node)
    node.kind, node.attr, node.loop = OPAQUE, 0, NULL
    node.payload = (<Failure>node.failure).operation, node.failure, None
    return 0


cdef list without_failed(PyObject** roots, int count):
    """Those of some nodes that have not failed."""
    cdef int i
    return [<Node>roots[i] for i in range(count) if (<Node>roots[i]).failure is None]


cdef object oldest_failure(PyObject** roots, int count):
    """The error of the operation that comes first among those that nodes failed with."""
    cdef Failure found = None, failure
    cdef int i
    for i in range(count):
        failure = (<Node>roots[i]).failure
        if failure is not None and (found is None or failure.serial < found.serial):
            found = failure
    return found.again()


cdef int leave_to_looks(Node root) except -1:
    """Exclude a node that could not be evaluated, and what is pending below it, from flushes."""
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
