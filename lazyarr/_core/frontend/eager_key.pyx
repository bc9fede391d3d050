"""Keys of indexing that runs at once: what they name, and whether it may be large."""
cimport numpy as cnp

from lazyarr._core.frontend.eager cimport (
    LARGE, SMALL_ELEMENTS, does_wait, first_of, has_values, immediate_level, is_ready)
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.numpy_call cimport value_for_numpy
from lazyarr._core.ir.node cimport Node

import numpy as np

cnp.import_array()

cdef object _ndarray = np.ndarray
int64 = np.int64


cdef bint is_basic(tuple key):
    """Whether a key has integers, slices, `...` and None alone."""
    cdef type t
    for item in key:
        t = type(item)
        if not (t is int or t is slice or item is None or item is Ellipsis or t is int64):
            return False
    return True


cdef bint read_places(object key, Places* p) except -1:
    """Read an index array or a mask, lazy or NumPy's own; False where elements have to be converted or made first."""
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
    if type(key) is not _ndarray or not cnp.PyArray_ISBEHAVED_RO(key):
        return False
    a = key
    p.data, p.typenum, p.ndim = cnp.PyArray_BYTES(a), cnp.PyArray_TYPE(a), cnp.PyArray_NDIM(a)
    p.size, p.itemsize = cnp.PyArray_SIZE(a), cnp.PyArray_ITEMSIZE(a)
    p.shape, p.strides, p.contiguous = cnp.PyArray_DIMS(a), cnp.PyArray_STRIDES(a), cnp.PyArray_IS_C_CONTIGUOUS(a)
    return True


cdef bint is_mask_of(Node node, Places* places) noexcept:
    """Whether a mask has an array's shape, both in C order."""
    cdef int d
    if node.ndim != places.ndim or not node.contiguous or not places.contiguous:
        return False
    for d in range(node.ndim):
        if node.shape[d] != places.shape[d]:
            return False
    return True


cdef object key_for_numpy(object key, list arrays, list shown, bint* foreign):
    """A key with ndarrays in place of arrays; NotImplemented where an array in it is not ready."""
    cdef type t = type(key)
    if t is LazyArray and (<LazyArray>key).node.typenum < 0:
        return NotImplemented
    return value_for_numpy(key, arrays, shown, NULL, foreign, SMALL_ELEMENTS)


cdef bint is_large_by(LazyArray self, object key):
    """Whether what a key names may be large: not if its index arrays alone say how many elements there are."""
    if self.node.size <= SMALL_ELEMENTS:
        return False
    if type(key) is tuple:
        for item in <tuple>key:
            if not indexes_elements(item):
                return True
        return len(<tuple>key) != self.node.ndim
    return not indexes_elements(key) or self.node.ndim != 1


cdef bint is_mask(object key):
    return type(key) is LazyArray and (<LazyArray>key).node.typenum == cnp.NPY_BOOL


cdef bint is_mask_to_evaluate(LazyArray key) noexcept:
    """Whether a mask is pending, and writing under it takes longer in a graph, which would copy what is written to."""
    return not has_values(key) and key.mask is None and does_wait(key) <= immediate_level and key.node.size <= LARGE


cdef bint indexes_elements(object item):
    cdef type t = type(item)
    if t is LazyArray:
        return (<LazyArray>item).node.typenum != cnp.NPY_BOOL
    if t is _ndarray:
        return item.dtype.kind in "iu"
    return t is int or t is int64
