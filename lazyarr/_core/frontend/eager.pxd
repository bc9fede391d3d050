from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.hooks cimport deferrals
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.pending_queue cimport ROUND_IS_OVER, attention, end_round
from lazyarr._core.ir.history cimport recordings
from lazyarr._core.ir.node cimport LEAF, SCALAR, Node, renew

cdef enum:
    FEW = 4096               # largest size for which a graph is never noticeably faster
    LARGE = 1 << 18          # largest size for eager execution of what a graph would not fuse

cdef int immediate_level     # operations on arrays with at most this `Node.waits` run eagerly (set_small_work)
cdef double SMALL_NS         # operations with a longer estimated time join the graph
cdef double SMALL_ELEMENTS   # largest operand of a NumPy function called at once


cdef inline bint is_enabled() noexcept:
    """Return whether operations may run eagerly: no trace, recording or flush, and no call that builds a graph."""
    return attention == 0 and recordings == 0 and deferrals == 0


cdef inline bint begins_at_once() except -1:
    """The same where an operation begins: what waits for the end of a round is evaluated first, and read at once."""
    if attention == ROUND_IS_OVER:
        end_round()
    return is_enabled()


cdef inline bint has_values(LazyArray x) noexcept:
    """Return whether x is evaluated and does not wait."""
    cdef PyObject* node = <PyObject*>x.node if x.root is None else <PyObject*>x.root.node
    return ((<Node>node).kind == LEAF or (<Node>node).kind == SCALAR) and (<Node>node).waits <= immediate_level \
        and x.mask is None


cdef inline bint is_ready(LazyArray x) noexcept:
    """Return whether x also has a native dtype and aligned elements."""
    return has_values(x) and x.node.typenum >= 0 and not x.unaligned


cdef inline bint does_wait(LazyArray x) noexcept:
    """Return whether operations on x join the graph, however small."""
    cdef Node node = x.node
    if x.root is not None:
        node = x.root.node
    return node.waits


cdef inline char* first_of(LazyArray x) noexcept:
    """Return a pointer to the first element of a ready array."""
    return (x.node.data if x.root is None else x.root.node.data) + x.node.offset


cdef inline bint same_strides(Node a, Node b) noexcept:
    """Return whether two arrays have equal shapes and strides."""
    cdef int d
    if a.ndim != b.ndim:
        return False
    for d in range(a.ndim):
        if a.shape[d] != b.shape[d] or a.strides[d] != b.strides[d]:
            return False
    return True


cdef inline void note_write(LazyArray x) noexcept:
    """Record a write to the storage of an array: renew the identity of its value."""
    cdef PyObject* node = <PyObject*>x.node if x.root is None else <PyObject*>x.root.node
    renew(<Node>node)
    (<Node>node).at_once = True


cdef int mark_waiting(object made) except -1
cdef object scalar_at(int code, char* data)
cdef Node new_leaf(int ndim, npy_intp* shape, int code)
cdef LazyArray new_base(Node leaf)
cdef bint must_report(int flags) except -1
cdef int report_flags(int flags, str name) except -1
cdef bint own_storage(LazyArray x) except -1
cdef object show(LazyArray x)
cdef int stop_showing(LazyArray x) noexcept
cdef object take_over(object array)
cdef object show_result(object obj, LazyArray x, object shown)
