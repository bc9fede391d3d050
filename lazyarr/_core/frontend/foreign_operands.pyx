"""Operands with array semantics of their own: masked arrays and matrices, pandas' and xarray's objects, quantities.

They decide what an operation with one of them gives. What knows nothing of LazyArrays gets their values.
"""
cimport cython
cimport numpy as cnp

from lazyarr._core.frontend.handle cimport value_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.ufunc_traits cimport operator_of

import numpy as np

_ndarray = np.ndarray
_memmap = np.memmap
_generic = np.generic


cdef bint is_derived(object obj):
    """Whether it is of a class derived from ndarray that says what results are; a memmap's are arrays."""
    return isinstance(obj, _ndarray) and type(obj) is not _ndarray and type(obj) is not _memmap


@cython.embedsignature.format("clinic")
@cython.binding(False)  # as `__instancecheck__` of a class it is called with the object alone
def is_array(obj):
    """Whether an object is an instance of the drop-in face's `ndarray`: no scalar of ours, or an array of NumPy's."""
    return not (<LazyArray>obj).scalar if type(obj) is LazyArray else isinstance(obj, cnp.ndarray)


cpdef bint is_answering(object obj):
    """Whether it is no array of NumPy's or ours and answers ufuncs itself."""
    return hasattr(type(obj), "__array_ufunc__") and not isinstance(obj, (_ndarray, _generic, LazyArray))


cdef object deferred(Ufunc* u, object a, object b):
    """Apply an operator of which one operand is no LazyArray and takes precedence, as `defers` has found."""
    function = operator_of(<object>u.ufunc)
    return decided(function, f"__r{function.__name__.rstrip('_')}__", a, b)


cdef object decided(object function, str reflected, object a, object b):
    """`function(a, b)` by the operand that is no LazyArray. If it takes none, it gets the values.

    A left operand has been asked by Python.
    """
    if not isinstance(a, LazyArray):
        return function(a, _number(<LazyArray?>b))
    answer = None if isinstance(b, _ndarray) else getattr(type(b), reflected, None)
    result = NotImplemented if answer is None else answer(b, a)
    return function(_number(<LazyArray>a), b) if result is NotImplemented else result


cdef object _number(LazyArray x):
    value = value_of(x)
    return value[()] if x.scalar else value
