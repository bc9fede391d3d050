"""Operands that may decide what a function (NEP 18) or a ufunc (NEP 13) gives, found among the arguments of a call."""
from cpython.object cimport PyObject

from lazyarr._core.frontend.foreign_operands cimport is_answering
from lazyarr._core.frontend.lazy_array cimport LazyArray

import numpy as np

_ndarray = np.ndarray
# Arguments of most calls, and the items of most sequences.
cdef set _PLAIN = {int, float, complex, bool, str, bytes, type(None), slice, type, np.dtype}


cdef list overriding(PyObject** args, Py_ssize_t total):
    """The operands of a call that answer functions themselves, and the arrays beside them; None without the former."""
    cdef Py_ssize_t i
    cdef list found = []
    cdef bint overrides = False
    for i in range(total):
        overrides |= _collect(<object>args[i], found)
    return found if overrides else None


cdef bint _collect(object x, list found) except -1:
    """Collect the operands that an argument is or, being a sequence, holds; whether any of them is no array."""
    cdef bint overrides = False
    cdef object t = type(x), others = None
    if t is LazyArray or t is _ndarray:
        found.append(x)
        return False
    if t in _PLAIN:
        return False
    if t is list or t is tuple:
        if x and type(x[0]) not in _PLAIN:  # NumPy looks for operands in sequences of these
            for item in x:
                t = type(item)
                if t is others or t is list or t is tuple:
                    continue
                if t is LazyArray or t is _ndarray:
                    found.append(item)
                elif _collect(item, found):
                    overrides = True
                else:
                    others = t  # of which there may be many
        return overrides
    if getattr(t, "__array_function__", _ndarray.__array_function__) is _ndarray.__array_function__:
        return False
    found.append(x)
    return True


cdef bint answers_ufuncs(PyObject** args, Py_ssize_t total):
    """Whether one of the arguments answers ufuncs itself."""
    cdef Py_ssize_t i
    for i in range(total):
        if type(<object>args[i]) not in _PLAIN and is_answering(<object>args[i]):
            return True
    return False
