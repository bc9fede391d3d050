from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport MAX_DIMS, Node

cdef struct Window:       # a window on a storage
    int ndim
    npy_intp shape[MAX_DIMS]
    npy_intp strides[MAX_DIMS]
    npy_intp offset

cdef Node window(LazyArray self, object key, bint* element)
cdef bint holds_array(object key) except -1
cdef object take_element(LazyArray self, Node spec)
cdef bint put_element(LazyArray self, Node spec, object value) except -1
cdef int assign_window(LazyArray self, Node spec, object value, bint element) except -1
cdef int check_complex(Node node, Node spec) except -1
cdef bint plain_window(Node source, tuple key, Window* w, bint* element) except -1

cdef extern from "simd/indices.h":
    bint lz_int(object o, npy_intp* value) noexcept
    bint lz_element(PyObject* key, int ndim, npy_intp* shape, npy_intp* strides, npy_intp* offset) noexcept
    npy_intp lz_slice(object key, npy_intp length, npy_intp* start, npy_intp* step) except -1


cdef inline void add_axis(Window* w, npy_intp extent, npy_intp stride) noexcept:
    w.shape[w.ndim], w.strides[w.ndim] = extent, stride
    w.ndim += 1


cdef inline int add_slice(Window* w, Node source, int axis, object key) except -1:
    cdef npy_intp start, step, stride = source.strides[axis]
    cdef npy_intp extent = lz_slice(key, source.shape[axis], &start, &step)
    if extent:
        w.offset += start * stride
        stride *= step
    add_axis(w, extent, stride)
    return 0


cdef inline void add_rest(Window* w, Node source, int axis) noexcept:
    """Append the axes from `axis` on in full."""
    for axis in range(axis, source.ndim):
        add_axis(w, source.shape[axis], source.strides[axis])


cdef inline int slice_window(Node source, object key, Window* w) except -1:
    """Compute the window of a slice of the first axis."""
    w.ndim = 0
    w.offset = source.offset
    add_slice(w, source, 0, key)
    add_rest(w, source, 1)
    return 0
