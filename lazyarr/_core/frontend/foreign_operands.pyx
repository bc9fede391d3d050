"""Operands with array semantics of their own: masked arrays, matrices, pandas, xarray, quantities.

They decide the result of an operation with them. Code that does not support LazyArrays gets their values.
"""
cimport cython

cimport numpy as cnp

from lazyarr._core.frontend.handle cimport value_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.ufunc_traits cimport operator_of

import numpy as np

_ndarray = np.ndarray
_memmap = np.memmap
_generic = np.generic


cdef bint is_derived(object obj):
    """Return whether an object is of an ndarray subclass that determines results (a memmap does not)."""
    return isinstance(obj, _ndarray) and type(obj) is not _ndarray and type(obj) is not _memmap


@cython.embedsignature.format("clinic")
@cython.binding(False)  # as `__instancecheck__` of a class it gets the object alone
def is_array(obj):
    """Return whether an object counts as `ndarray` of the drop-in face: a non-scalar LazyArray or an ndarray."""
    return not (<LazyArray>obj).scalar if type(obj) is LazyArray else isinstance(obj, cnp.ndarray)


cpdef bint is_answering(object obj):
    """Return whether a foreign object implements ufuncs itself."""
    return hasattr(type(obj), "__array_ufunc__") and not isinstance(obj, (_ndarray, _generic, LazyArray))


cdef object deferred(Ufunc* u, object a, object b):
    """Apply an operator for which another operand takes precedence, according to `defers`."""
    function = operator_of(<object>u.ufunc)
    return decided(function, f"__r{function.__name__.rstrip('_')}__", a, b)


cdef object decided(object function, str reflected, object a, object b):
    """Let the foreign operand apply `function(a, b)`. If it declines, it gets the values.

    Python has asked a left operand already.
    """
    if not isinstance(a, LazyArray):
        return function(a, _number(<LazyArray?>b))
    answer = None if isinstance(b, _ndarray) else getattr(type(b), reflected, None)
    result = NotImplemented if answer is None else answer(b, a)
    return function(_number(<LazyArray>a), b) if result is NotImplemented else result


cdef object _number(LazyArray x):
    value = value_of(x)
    return value[()] if x.scalar else value


# Types of most arguments, and of items of most sequences.
cdef set _PLAIN = {int, float, complex, bool, str, bytes, type(None), slice, type, np.dtype}


cdef list overriding(PyObject** args, Py_ssize_t total):
    """Return the operands that override functions, and the arrays beside them; None without any."""
    cdef Py_ssize_t i
    cdef list found = []
    cdef bint overrides = False
    for i in range(total):
        overrides |= _collect(<object>args[i], found)
    return found if overrides else None


cdef bint _collect(object x, list found) except -1:
    """Collect the overriding operands in an argument or sequence; return whether there is any foreign one."""
    cdef bint overrides = False
    cdef object t = type(x), others = None
    if t is LazyArray or t is _ndarray:
        found.append(x)
        return False
    if t in _PLAIN:
        return False
    if t is list or t is tuple:
        if x and type(x[0]) not in _PLAIN:  # NumPy looks for operands in such sequences
            for item in x:
                t = type(item)
                if t is others or t is list or t is tuple:
                    continue
                if t is LazyArray or t is _ndarray:
                    found.append(item)
                elif _collect(item, found):
                    overrides = True
                else:
                    others = t  # there may be many
        return overrides
    if getattr(t, "__array_function__", _ndarray.__array_function__) is _ndarray.__array_function__:
        return False
    found.append(x)
    return True


cdef bint answers_ufuncs(PyObject** args, Py_ssize_t total):
    """Return whether an argument implements ufuncs itself."""
    cdef Py_ssize_t i
    for i in range(total):
        if type(<object>args[i]) not in _PLAIN and is_answering(<object>args[i]):
            return True
    return False
