"""The queue of pending handles, and the budget.

Pending handles form a linked list. Once it exceeds the budget, they are evaluated together.
"""
from cpython.ref cimport Py_DECREF
from libc.stdlib cimport free, malloc

from lazyarr._core.frontend.freelist cimport bare_handle
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.memory_budget cimport forget_retained, measure_retained, retains_more
from lazyarr._core.host.allocator cimport new_bytes
from lazyarr._core.ir.failures cimport exclude_from_flushes
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
    int site_lasti          # with `_site_code`: the statement that exceeded the budget
    int missed              # consecutive flushes without a cached plan
    bint flushing
    int one_plan_blocks     # active in all threads

cdef QueueState _queue = QueueState(NULL, 400, 512 << 20, <double>(1 << 30) * 12, 0, 0, False, 0)
cdef object _site_code = None
cdef enum:
    SPOILED = 2                # consecutive flushes without a plan: the pending graphs do not repeat
cdef double LARGE_ROUND = 256 << 20
cdef set _writes_seen = set()  # statements that wrote since the last flush
attention = 0
is_prepared = False


cdef void link(LazyArray handle) noexcept:
    if handle.linked:
        return
    lz_enlist(<PyObject*>handle)
    handle.linked = True
    handle.prev = NULL
    handle.next = _queue.newest
    if _queue.newest is not NULL:
        (<LazyArray>_queue.newest).prev = <PyObject*>handle
    _queue.newest = <PyObject*>handle


cdef void unlink(LazyArray handle) noexcept:
    if not handle.linked:
        return
    handle.linked = False
    if handle.prev is not NULL:
        (<LazyArray>handle.prev).next = handle.next
    else:
        _queue.newest = handle.next
    if handle.next is not NULL:
        (<LazyArray>handle.next).prev = handle.prev


cdef class one_plan:
    """A block without flushes at the budget: `with one_plan():`.

    Native enter and exit keep signal handlers from raising in between.
    """

    def __enter__(self):
        _queue.one_plan_blocks += 1

    def __exit__(self, *_):
        _queue.one_plan_blocks -= 1


cdef int watch_retained(PyObject* newest) except -1:
    """Now and then, measure the memory that these and older handles retain, where they could be flushed."""
    if _queue.one_plan_blocks or history_is_kept_somewhere():
        return 0
    return measure_retained(newest, _queue.budget_bytes)


cdef inline bint over_budget(double factor) noexcept:
    return (pending_nodes() > _queue.budget_nodes * factor and not _queue.one_plan_blocks
            or pending_bytes() > _queue.budget_work * factor
            or new_bytes() > _queue.budget_bytes * factor or retains_more(factor))


cdef int check_budget(Node made) except -1:
    """Evaluate what is pending once it exceeds the budget, at a statement that repeats.

    The first time, here; later when the program returns to the same statement, so that a loop is cut at the same place
    in every iteration and its plans repeat. A program that does not return is cut at twice the budget.
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
        if not retaining:  # such flushes already cut at iterations
            _queue.missed = _queue.missed % SPOILED + 1 if plan_misses() > misses else 0
    return 0


cdef int check_round(Node made) except -1:
    """If flushes find no plans, evaluate what is pending once a statement has written twice.

    A loop whose iterations differ exceeds the budget at a different place each time, but its single iterations are
    alike. The flush happens when the next operation reads an operand, after the statement has released its temporaries.
    Arrays so large that evaluation takes longer than compilation wait for the budget, as do `one_plan` blocks.
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
    """Evaluate the pending values of all live handles in one plan.

    An operation that fails stays pending, and raises when its value is read. Flushes do not retry it or its dependants.
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
        following = (<LazyArray>p).next
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
                resolve_selection(handle)  # drops the values outside its mask
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
                    exclude_from_flushes(node)
                    if handle.node is node:
                        unlink(handle)
                    told_later |= _says_the_same(again, error)
        if not told_later:  # its values were computed nevertheless
            raise
    finally:
        _queue.flushing = False
    return 0


cdef int end_round() except -1:
    """Flush where a round of a loop is over, unless history is kept."""
    if attention & ROUND_IS_OVER and not history_is_kept_somewhere():
        flush()
    return 0


cdef object failure_of(Node node):
    """Try to evaluate one node; return the exception of a recurring failure, else None."""
    try:
        evaluate_list([node], False)
    except MemoryError:
        raise
    except Exception as error:
        if has_value(node):  # a floating-point error: the values exist
            raise
        return error
    return None


cdef bint _says_the_same(object a, object b):
    if type(a) is type(b) is TracedValueError:  # from another thread's trace: the text varies
        return True
    return type(a) is type(b) and a.args == b.args and getattr(a, "__notes__", None) == getattr(b, "__notes__", None)


cdef int evaluate_list(list nodes, bint fetch=True) except -1:
    """Evaluate nodes; those on devices stay there unless `fetch` is set."""
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
    """Set the limits on what may be pending: nodes, bytes of memory held, bytes of results to compute."""
    if nodes is not None and nodes < 1:
        raise ValueError(f"budget_nodes must be at least 1, got {nodes}")
    for name, bound in (("bytes", bytes), ("work", work)):
        if bound is not None and bound < 0:
            raise ValueError(f"budget_{name} must not be negative, got {bound}")
    _queue.budget_nodes = _queue.budget_nodes if nodes is None else nodes
    _queue.budget_bytes = _queue.budget_bytes if bytes is None else bytes
    _queue.budget_work = _queue.budget_work if work is None else work
    _queue.missed = 0  # flushes under the old limits tell nothing about the new ones


def get_budget():
    """Return the limits on what may be pending."""
    return {"nodes": _queue.budget_nodes, "bytes": int(_queue.budget_bytes), "work": int(_queue.budget_work)}


cpdef int prepare() except -1:
    """Have the layers above register what arrays need, once."""
    global is_prepared
    if not is_prepared:
        call_hook("first_array", ())
        is_prepared = True
    return 0


cdef LazyArray pending_handle(Node node, bint scalar):
    """Return a handle that stays pending for the next operation, even over the budget."""
    if not is_prepared:
        prepare()
    cdef LazyArray handle = bare_handle()
    handle.node = node
    handle.scalar = scalar
    handle.writeable = not scalar
    if not has_value(node):
        link(handle)
    return handle
