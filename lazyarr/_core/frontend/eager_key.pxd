from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_ITEMS

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport first_of, is_ready
from lazyarr._core.frontend.index cimport lz_element, lz_int
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef struct Places:             # an index array or a mask
    char* data
    int typenum, ndim
    npy_intp size, itemsize
    npy_intp* shape
    npy_intp* strides
    bint contiguous

cdef object int64               # NumPy's int64

cdef bint is_basic(tuple key)
cdef object key_for_numpy(object key, list arrays, list shown, bint* foreign)
cdef bint is_large_by(LazyArray self, object key)
cdef bint is_to_evaluate(LazyArray x) noexcept


cdef inline bint is_mask(object key) noexcept:
    return type(key) is LazyArray and (<LazyArray>key).node.typenum == cnp.NPY_BOOL


cdef inline bint read_places(object key, Places* p) noexcept:
    """Read a lazy or NumPy index array or mask; return False if elements need conversion or evaluation."""
    cdef LazyArray x
    cdef cnp.ndarray a
    if type(key) is LazyArray:
        x = <LazyArray>key
        if not is_ready(x) or x.scalar:
            return False
        p.data, p.typenum, p.ndim = first_of(x), x.node.typenum, x.node.ndim
        p.size, p.itemsize = x.node.size, x.node.itemsize
        p.shape, p.strides, p.contiguous = x.node.shape, x.node.strides, x.node.contiguous
        return True
    if not cnp.PyArray_CheckExact(key) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray>key):
        return False
    a = <cnp.ndarray>key
    p.data, p.typenum, p.ndim = cnp.PyArray_BYTES(a), cnp.PyArray_TYPE(a), cnp.PyArray_NDIM(a)
    p.size, p.itemsize = cnp.PyArray_SIZE(a), cnp.PyArray_ITEMSIZE(a)
    p.shape, p.strides, p.contiguous = cnp.PyArray_DIMS(a), cnp.PyArray_STRIDES(a), cnp.PyArray_IS_C_CONTIGUOUS(a)
    return True


cdef inline bint is_mask_of(Node node, Places* places) noexcept:
    """Return whether a mask has an array's shape, both in C order."""
    cdef int d
    if node.ndim != places.ndim or not node.contiguous or not places.contiguous:
        return False
    for d in range(node.ndim):
        if node.shape[d] != places.shape[d]:
            return False
    return True


cdef inline bint in_range(object index, npy_intp n, npy_intp* i) except -1:
    """Read an integer index; return False if it is out of range."""
    if not lz_int(index if type(index) is int else int(index), i):
        return False
    if i[0] < 0:
        i[0] += n
    return 0 <= i[0] < n


cdef inline bint element_offset(Node node, PyObject* key, npy_intp* offset) except -1:
    """Compute the byte offset of an element, given an integer per axis; return False for other tuples."""
    cdef PyObject** items
    cdef npy_intp i
    cdef int d
    if lz_element(key, node.ndim, node.shape, node.strides, offset):
        return True
    if len(<tuple>key) != node.ndim:
        return False
    items = PySequence_Fast_ITEMS(<tuple>key)
    offset[0] = 0
    for d in range(node.ndim):
        if not (type(<object>items[d]) is int or type(<object>items[d]) is int64) \
                or not in_range(<object>items[d], node.shape[d], &i):
            return False
        offset[0] += i * node.strides[d]
    return True
