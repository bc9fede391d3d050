"""Eager `any` and `all` of C-ordered bools and numbers, and `isscalar`."""
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr

cimport numpy as cnp

from lazyarr._core.eager.forms cimport LazyArray, Node, PyObject, add_native, first_of, npy_intp, ready_array
from lazyarr._core.eager.reductions cimport SEARCHED
from lazyarr._core.ir.loop_table cimport NPY_HALF

import numpy as np

cdef enum:
    BLOCK = 256             # elements per vectorised block

ctypedef fused pattern:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

_is_scalar = np.isscalar


cdef bint holds(pattern* x, npy_intp n, bint is_float, bint zero) noexcept:
    """Return whether one of n elements is zero, or is nonzero, ignoring the sign of floats."""
    cdef pattern shift = is_float
    cdef npy_intp first, i
    cdef bint found
    for first in range(0, n, BLOCK):
        found = False
        for i in range(first, min(first + BLOCK, n)):
            found |= (<pattern>(x[i] << shift) == 0) == zero
        if found:
            return True
    return False


cdef bint has(Node node, char* data, bint wanted) noexcept:
    """Return whether a C-ordered array has an element with this truth value."""
    cdef int code = node.typenum
    cdef bint is_float = code == cnp.NPY_DOUBLE or code == cnp.NPY_FLOAT or code == NPY_HALF
    if code == cnp.NPY_BOOL:
        return memchr(data, wanted, node.size) is not NULL
    if node.itemsize == 8:
        return holds(<uint64_t*>data, node.size, is_float, not wanted)
    if node.itemsize == 4:
        return holds(<uint32_t*>data, node.size, is_float, not wanted)
    if node.itemsize == 2:
        return holds(<uint16_t*>data, node.size, is_float, not wanted)
    return holds(<uint8_t*>data, node.size, is_float, not wanted)


cdef object _truth(PyObject** args, Py_ssize_t n, object names, int wanted):
    """any(x), which looks for a true element (`wanted`), and all(x), for a false one."""
    cdef LazyArray x = ready_array(args, n, SEARCHED)
    if x is None or n != 1 or names is not None or not x.node.contiguous or not (
            x.node.typenum <= cnp.NPY_DOUBLE or x.node.typenum == NPY_HALF):
        return NotImplemented
    return np.True_ if has(x.node, first_of(x), wanted) == wanted else np.False_


cdef object _isscalar(PyObject** args, Py_ssize_t n, object names, int variant):
    if n != 1 or names is not None:
        return NotImplemented
    if type(<object>args[0]) is LazyArray:
        return (<LazyArray>args[0]).scalar
    return _is_scalar(<object>args[0])


add_native("any ndarray.any", _truth, True)
add_native("all ndarray.all", _truth, False)
add_native("isscalar", _isscalar)
