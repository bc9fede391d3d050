"""Pending handles, and the budget of what may be pending.

They are linked in a list. Once it exceeds the budget, they are evaluated together.
"""
from cpython.ref cimport Py_DECREF
from libc.stdlib cimport free, malloc

from lazyarr._core.frontend.freelist cimport bare_handle
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.memory_budget cimport forget_retained, measure_retained, retains_more
from lazyarr._core.host.allocator cimport new_bytes
from lazyarr._core.ir.failures cimport leave_to_looks
from lazyarr._core.ir.history cimport history_is_kept_somewhere
from lazyarr._core.ir.node cimport has_value, pending_bytes, pending_nodes
from lazyarr._core.runtime.evaluation cimport evaluate_nodes
from lazyarr._core.runtime.plan_cache cimport plan_misses

cdef extern from "simd/weak.h":
    void lz_enlist(PyObject* o) noexcept
    PyObject* lz_take(PyObject* o) noexcept

from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr._core.runtime.no_evaluation import EvaluationForbidden

cdef struct QueueState:
    PyObject* newest        # the head of the list of handles
    int budget_nodes
    double budget_bytes
    double budget_work
    int site_lasti          # with `_site_code`: the statement at which the budget was exceeded
    int missed              # flushes in a row without a plan
    bint flushing
    int one_plan_blocks     # running, in all threads

cdef QueueState _queue = QueueState(NULL, 400, 512 << 20, <double>(1 << 30) * 12, 0, 0, False, 0)
cdef object _site_code = None
cdef enum:
    SPOILED = 2                # flushes in a row without a plan: what is pending does not repeat from one to the next
cdef double LARGE_ROUND = 256 << 20
cdef set _writes_seen = set()  # statements that have written in this round
attention = 0
is_prepared = False


cdef void link(LazyArray handle) noexcept:
    if handle.linked:
        return
    lz_enlist(<PyObject*>handle)
    handle.linked = True
    handle.before = NULL
    handle.after = _queue.newest
    if _queue.newest is not NULL:
        (<LazyArray>_queue.newest).before = <PyObject*>handle
    _queue.newest = <PyObject*>handle


cdef void unlink(LazyArray handle) noexcept:
    if not handle.linked:
        return
    handle.linked = False
    if handle.before is not NULL:
        (<LazyArray>handle.before).after = handle.after
    else:
        _queue.newest = handle.after
    if handle.after is not NULL:
        (<LazyArray>handle.after).before = handle.before


cdef class one_plan:
    """A block in which nothing is evaluated for the number of pending operations: `with one_plan():`.

    It is entered and left by native code, so that no signal handler can raise in between and leave it behind.
    """

    def __enter__(self):
        _queue.one_plan_blocks += 1

    def __exit__(self, *_):
        _queue.one_plan_blocks -= 1


cdef int watch_retained(PyObject* newest) except -1:
    """Find out now and then what these handles and those before them keep in memory, where it would be flushed."""
    if _queue.one_plan_blocks or history_is_kept_somewhere():
        return 0
    return measure_retained(newest, _queue.budget_bytes)


cdef inline bint over_budget(double factor) noexcept:
    return (pending_nodes() > _queue.budget_nodes * factor and not _queue.one_plan_blocks
            or pending_bytes() > _queue.budget_work * factor
            or new_bytes() > _queue.budget_bytes * factor or retains_more(factor))


cdef int check_budget(Node made) except -1:
    """Evaluate what is pending once it exceeds the budget, at a statement that repeats.

    The first time, here. Later, when the program comes back to the same statement, so that a loop is cut at the
    same place in every round and its plans repeat; a program that has moved on is cut at twice the budget.
    """
    global _site_code
    cdef long long misses
    cdef bint retaining
    if not over_budget(1) or pending_nodes() < 2 or history_is_kept_somewhere():
        return 0
    if made.code is _site_code and made.lasti == _queue.site_lasti or _site_code is None or over_budget(2):
        _site_code = made.code
        _queue.site_lasti = made.lasti
        misses, retaining = plan_misses(), retains_more(1)
        flush()
        if not retaining:  # such flushes are about rounds already
            _queue.missed = _queue.missed % SPOILED + 1 if plan_misses() > misses else 0
    return 0


cdef int check_round(Node made) except -1:
    """Where flushes at the budget find no plans, evaluate what is pending once a statement has written twice.

    A loop whose rounds differ in what they do, or in how often, is over the budget at another place each time; its
    single rounds are alike. The flush comes when the next operation reads an operand and the statement has let go of
    its intermediates. Arrays so large that evaluating them takes longer than finding a plan wait for the budget, and
    so does what is meant for one plan.
    """
    global attention
    watch_retained(_queue.newest)
    if _queue.missed < SPOILED or pending_bytes() > LARGE_ROUND or history_is_kept_somewhere() \
            or _queue.one_plan_blocks:
        return check_budget(made)
    place = (id(made.code), made.lasti)
    if place in _writes_seen:
        _writes_seen.clear()
        attention |= ROUND_IS_OVER
    _writes_seen.add(place)
    return check_budget(made)


cdef int flush() except -1:
    """Evaluate the pending value of every live handle in one plan.

    An operation that fails is left pending, to fail when its value is read. Neither it nor what is computed from it is
    tried again here.
    """
    global attention
    cdef PyObject* p = _queue.newest
    cdef PyObject* following
    cdef PyObject* taken
    cdef list held = [], nodes
    cdef LazyArray handle
    cdef Node node
    if _queue.flushing:
        return 0
    attention &= ~ROUND_IS_OVER
    forget_retained()
    while p is not NULL:
        following = (<LazyArray>p).after
        if has_value((<LazyArray>p).node) or (<LazyArray>p).node.poisoned:
            unlink(<LazyArray>p)
        else:
            taken = lz_take(p)
            if taken is not NULL:
                held.append(<LazyArray>taken)
                Py_DECREF(<LazyArray>taken)
        p = following
    held.reverse()
    nodes = [(<LazyArray>h).node for h in held]  # other threads may write to the handles meanwhile
    _queue.flushing = True
    try:
        evaluate_list(nodes, False)
        for handle in held:
            if handle.mask is not None:
                settle_selection(handle)  # gives up what lies outside its mask
    except EvaluationForbidden:
        pass
    except MemoryError:
        raise
    except Exception as error:
        told_later = False
        for handle, node in zip(held, nodes):
            if not has_value(node):
                again = failure_of(node)
                if again is not None:
                    leave_to_looks(node)
                    if handle.node is node:
                        unlink(handle)
                    told_later |= _says_the_same(again, error)
        if not told_later:  # what it speaks of has its values nevertheless
            raise
    finally:
        _queue.flushing = False
    return 0


cdef object failure_of(Node node):
    """Try to evaluate one node; the exception if an operation fails and will again, None if it does not."""
    try:
        evaluate_list([node], False)
    except MemoryError:
        raise
    except Exception as error:
        if has_value(node):  # an error about values that are there
            raise
        return error
    return None


cdef bint _says_the_same(object a, object b):
    if type(a) is type(b) is TracedValueError:  # raised about another thread's trace: the text depends on the moment
        return True
    return type(a) is type(b) and a.args == b.args and getattr(a, "__notes__", None) == getattr(b, "__notes__", None)


cdef int evaluate_list(list nodes, bint fetch=True) except -1:
    """Evaluate nodes; those on devices stay there unless they are fetched."""
    cdef int n = <int>len(nodes), i
    cdef PyObject** roots
    if n == 0:
        return 0
    roots = <PyObject**>malloc(n * sizeof(PyObject*))
    if roots is NULL:
        raise MemoryError()
    try:
        for i in range(n):
            roots[i] = <PyObject*>nodes[i]
        evaluate_nodes(roots, n, fetch)
    finally:
        free(roots)
    return 0


def set_budget(nodes=None, bytes=None, work=None):
    """Bounds on what may be pending: nodes, bytes of memory held for them, bytes of results to compute."""
    if nodes is not None and nodes < 1:
        raise ValueError(f"budget_nodes must be at least 1, got {nodes}")
    for name, bound in (("bytes", bytes), ("work", work)):
        if bound is not None and bound < 0:
            raise ValueError(f"budget_{name} must not be negative, got {bound}")
    _queue.budget_nodes = _queue.budget_nodes if nodes is None else nodes
    _queue.budget_bytes = _queue.budget_bytes if bytes is None else bytes
    _queue.budget_work = _queue.budget_work if work is None else work
    _queue.missed = 0  # what flushes under other bounds found says nothing about those under these


def get_budget():
    """The bounds in force."""
    return {"nodes": _queue.budget_nodes, "bytes": int(_queue.budget_bytes), "work": int(_queue.budget_work)}


cpdef int prepare() except -1:
    """Have the layers above register what arrays need, unless they have."""
    global is_prepared
    if not is_prepared:
        call_hook("first_array", ())
        is_prepared = True
    return 0


cdef LazyArray pending_handle(Node node, bint scalar):
    """A handle that what comes next must find pending, be the budget exceeded or not."""
    if not is_prepared:
        prepare()
    cdef LazyArray handle = bare_handle()
    handle.node = node
    handle.scalar = scalar
    handle.writeable = not scalar
    if not has_value(node):
        link(handle)
    return handle
