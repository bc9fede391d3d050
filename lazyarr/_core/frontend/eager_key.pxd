"""Keys of indexing that runs at once."""
from cpython.object cimport PyObject
from cpython.sequence cimport PySequence_Fast_ITEMS
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef extern from "simd/indices.h":
    bint lz_int(object o, npy_intp* value) noexcept

cdef struct Places:             # an index array, or a mask
    char* data
    int typenum, ndim
    npy_intp size, itemsize
    npy_intp* shape
    npy_intp* strides
    bint contiguous

cdef object int64               # NumPy's type

cdef bint is_basic(tuple key)
cdef bint read_places(object key, Places* p) except -1
cdef bint is_mask_of(Node node, Places* places) noexcept
cdef object key_for_numpy(object key, list arrays, list shown, bint* foreign)
cdef bint is_large_by(LazyArray self, object key)
cdef bint is_mask(object key)
cdef bint is_mask_to_evaluate(LazyArray key) noexcept
cdef bint indexes_elements(object item)


cdef inline bint in_range(object index, npy_intp n, npy_intp* i) except -1:
    """Read an integer index; False where it is out of range."""
    if not lz_int(index if type(index) is int else int(index), i):
        return False
    if i[0] < 0:
        i[0] += n
    return 0 <= i[0] < n


cdef inline bint element_offset(Node node, tuple key, npy_intp* offset) except -1:
    """Find the distance in bytes from the first element to one, for an integer each axis; False for other keys."""
    cdef PyObject** items = PySequence_Fast_ITEMS(key)
    cdef npy_intp i
    cdef int d
    if len(key) != node.ndim:
        return False
    offset[0] = 0
    for d in range(node.ndim):
        if not (type(<object>items[d]) is int or type(<object>items[d]) is int64) \
                or not in_range(<object>items[d], node.shape[d], &i):
            return False
        offset[0] += i * node.strides[d]
    return True
