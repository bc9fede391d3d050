from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.hooks cimport deferrals
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.pending_queue cimport attention
from lazyarr._core.ir.history cimport recordings
from lazyarr._core.ir.node cimport LEAF, SCALAR, Node, renew

cdef enum:
    FEW = 4096               # elements that a graph would not compute noticeably faster, whatever they cost
    LARGE = 1 << 18          # elements up to which runs at once what a graph would not fuse with what is around it

cdef int immediate_level     # operations on arrays whose Node.waits is at most this run at once (set_small_work)
cdef double SMALL_NS         # an operation whose estimated time is longer joins the graph
cdef double SMALL_ELEMENTS   # the most elements that an operand of a NumPy function called at once may have


cdef inline bint is_enabled() noexcept:
    """Whether operations may run at once: nothing is traced, recorded or flushed, and no call builds a graph."""
    return attention == 0 and recordings == 0 and deferrals == 0


cdef inline bint has_values(LazyArray x) noexcept:
    """Whether x has its values and does not wait."""
    cdef PyObject* node = <PyObject*>x.node if x.root is None else <PyObject*>x.root.node
    return ((<Node>node).kind == LEAF or (<Node>node).kind == SCALAR) and (<Node>node).waits <= immediate_level \
        and x.mask is None


cdef inline bint is_ready(LazyArray x) noexcept:
    """The same of a native dtype, its elements aligned."""
    return has_values(x) and x.node.typenum >= 0 and not x.unaligned


cdef inline bint does_wait(LazyArray x) noexcept:
    """Whether operations on x join the graph, however small."""
    cdef Node node = x.node
    if x.root is not None:
        node = x.root.node
    return node.waits


cdef inline char* first_of(LazyArray x) noexcept:
    """The first element of an array that is ready."""
    return (x.node.data if x.root is None else x.root.node.data) + x.node.offset


cdef inline bint same_strides(Node a, Node b) noexcept:
    """Whether two arrays have equal shapes and strides."""
    cdef int d
    if a.ndim != b.ndim:
        return False
    for d in range(a.ndim):
        if a.shape[d] != b.shape[d] or a.strides[d] != b.strides[d]:
            return False
    return True


cdef inline void note_write(LazyArray x) noexcept:
    """Note that the storage of an array was written to: renew what identifies its values."""
    cdef PyObject* node = <PyObject*>x.node if x.root is None else <PyObject*>x.root.node
    renew(<Node>node)
    (<Node>node).at_once = True


cdef int have_wait(object made) except -1
cdef object scalar_at(int code, char* data)
cdef Node new_leaf(int ndim, npy_intp* shape, int code)
cdef LazyArray new_base(Node leaf)
cdef bint must_report(int flags) except -1
cdef int give_flags(int flags, str name) except -1
cdef bint own_storage(LazyArray x) except -1
cdef object show(LazyArray x)
cdef int stop_showing(LazyArray x) noexcept
cdef object take_over(object array)
cdef object show_result(object obj, LazyArray x, object shown)
