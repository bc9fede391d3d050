"""Keys of eager indexing: what they select, and whether it may be large."""
from lazyarr._core.frontend.eager cimport LARGE, SMALL_ELEMENTS, does_wait, has_values, immediate_level
from lazyarr._core.frontend.numpy_call cimport value_for_numpy

import numpy as np

cnp.import_array()

cdef object _ndarray = np.ndarray
int64 = np.int64


cdef bint is_basic(tuple key):
    """Return whether a key has only integers, slices, `...` and None."""
    cdef type t
    for item in key:
        t = type(item)
        if not (t is int or t is slice or item is None or item is Ellipsis or t is int64):
            return False
    return True


cdef object key_for_numpy(object key, list arrays, list shown, bint* foreign):
    """Return a key with ndarrays in place of arrays; NotImplemented if an array in it is not ready."""
    cdef type t = type(key)
    if t is LazyArray and (<LazyArray>key).node.typenum < 0:
        return NotImplemented
    return value_for_numpy(key, arrays, shown, NULL, foreign, SMALL_ELEMENTS)


cdef bint is_large_by(LazyArray self, object key):
    """Return whether the selection may be large; index arrays alone determine its size."""
    if self.node.size <= SMALL_ELEMENTS:
        return False
    if type(key) is tuple:
        for item in <tuple>key:
            if not indexes_elements(item):
                return True
        return len(<tuple>key) != self.node.ndim
    return not indexes_elements(key) or self.node.ndim != 1


cdef bint is_to_evaluate(LazyArray x) noexcept:
    """Return whether to evaluate a pending mask, or value under it: a masked write in a graph would copy the array."""
    return not has_values(x) and x.mask is None and does_wait(x) <= immediate_level and x.node.size <= LARGE


cdef bint indexes_elements(object item):
    cdef type t = type(item)
    if t is LazyArray:
        return (<LazyArray>item).node.typenum != cnp.NPY_BOOL
    if t is _ndarray:
        return item.dtype.kind in "iu"
    return t is int or t is int64
