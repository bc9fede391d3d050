"""Truth at once: `any` and `all` of bools and numbers that lie in C order, and `isscalar`."""
from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.eager.reductions cimport SEARCHED, ready_array
from lazyarr._core.frontend.eager cimport first_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.native_forms cimport add_native
from lazyarr._core.ir.loop_table cimport NPY_HALF

import numpy as np

cdef enum:
    BLOCK = 256             # elements of a block, which is searched to its end, in vectors

ctypedef fused pattern:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

_is_scalar = np.isscalar


cdef bint holds(pattern* x, npy_intp n, bint is_float, bint zero) noexcept:
    """Whether one of n elements is zero, or is not: the sign of a float does not count."""
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


cdef object truth(PyObject** args, Py_ssize_t n, object names, bint wanted):
    """Whether there is an element of this truth value; NotImplemented for other arrays and calls."""
    cdef LazyArray x = ready_array(args, n, SEARCHED)
    cdef int code
    cdef bint is_float
    cdef char* data
    if x is None or n != 1 or names is not None or not x.node.contiguous:
        return NotImplemented
    code, data = x.node.typenum, first_of(x)
    if code == cnp.NPY_BOOL:
        return memchr(data, wanted, x.node.size) is not NULL
    is_float = code == cnp.NPY_DOUBLE or code == cnp.NPY_FLOAT or code == NPY_HALF
    if not (is_float or cnp.NPY_BYTE <= code <= cnp.NPY_ULONGLONG):
        return NotImplemented
    if x.node.itemsize == 8:
        return holds(<uint64_t*>data, x.node.size, is_float, not wanted)
    if x.node.itemsize == 4:
        return holds(<uint32_t*>data, x.node.size, is_float, not wanted)
    if x.node.itemsize == 2:
        return holds(<uint16_t*>data, x.node.size, is_float, not wanted)
    return holds(<uint8_t*>data, x.node.size, is_float, not wanted)


cdef object _any(PyObject** args, Py_ssize_t n, object names):
    found = truth(args, n, names, True)
    return found if found is NotImplemented else np.True_ if found else np.False_


cdef object _all(PyObject** args, Py_ssize_t n, object names):
    found = truth(args, n, names, False)
    return found if found is NotImplemented else np.False_ if found else np.True_


cdef object _isscalar(PyObject** args, Py_ssize_t n, object names):
    if n != 1 or names is not None:
        return NotImplemented
    if type(<object>args[0]) is LazyArray:
        return (<LazyArray>args[0]).scalar
    return _is_scalar(<object>args[0])


cdef int _state() except -1:
    for face in ("", "ndarray."):
        add_native(face + "any", _any)
        add_native(face + "all", _all)
    add_native("isscalar", _isscalar)
    return 0


_state()
