"""Eager einsum: NumPy's loops without its Python function, for few terms."""
from cpython.unicode cimport PyUnicode_READ_CHAR

from lazyarr._core.eager.forms cimport LazyArray, PyObject, add_native, is_ready, memset, npy_intp
from lazyarr._core.frontend.numpy_call cimport call_on_values

import numpy as np

cdef enum:
    MOST_OPERANDS = 4

cdef double MOST_TERMS = 1 << 17  # total terms; beyond, a matrix product may be cheaper
cdef object _einsum_loops = np._core.multiarray.c_einsum


cdef double terms(str subscripts, PyObject** operands, Py_ssize_t n) except? -1:
    """Return the number of terms in a sum; -1 for non-letters, or subscripts that do not fit the operands."""
    cdef npy_intp extents[128]
    cdef Py_UCS4 found[128]
    cdef npy_intp extent
    cdef double count = 1
    cdef Py_ssize_t i, k = 0, different = 0, length = len(subscripts)
    cdef Py_UCS4 letter
    cdef int d = 0
    memset(extents, 0, sizeof(extents))
    for i in range(length):
        letter = PyUnicode_READ_CHAR(subscripts, i)
        if letter == c",":
            if d != (<LazyArray>operands[k]).node.ndim or k + 1 == n:
                return -1
            k, d = k + 1, 0
        elif letter == c"-":
            break
        elif letter < 128 and letter.isalpha() and d < (<LazyArray>operands[k]).node.ndim:
            extent = max(<npy_intp>1, (<LazyArray>operands[k]).node.shape[d])
            if extents[letter] == 0:
                found[different] = letter
                different += 1
            extents[letter] = max(extents[letter], extent)
            d += 1
        else:
            return -1
    if k + 1 != n or d != (<LazyArray>operands[k]).node.ndim:
        return -1
    for i in range(different):
        count *= extents[found[i]]
    return count


cdef object _einsum(PyObject** args, Py_ssize_t n, object names, int variant):
    """einsum(subscripts, *operands) of letters and arrays that are ready."""
    cdef LazyArray x
    cdef Py_ssize_t i
    if not 2 <= n <= 1 + MOST_OPERANDS or names is not None or type(<object>args[0]) is not str:
        return NotImplemented
    for i in range(1, n):
        if type(<object>args[i]) is not LazyArray:
            return NotImplemented
        x = <LazyArray>args[i]
        if x.scalar or not is_ready(x):
            return NotImplemented
    if not 0 < terms(<object>args[0], args + 1, n - 1) <= MOST_TERMS:
        return NotImplemented
    return call_on_values(_einsum_loops, args, n, None, 0, False, -1, MOST_TERMS)


add_native("einsum", _einsum)
