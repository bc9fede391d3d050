"""`LazyArray.__array_ufunc__`: NumPy's ufuncs and their methods with lazy operands."""
from cpython.object cimport PyObject
from cpython.ref cimport _Py_REFCNT as Py_REFCNT

cimport numpy as cnp

from lazyarr._core.frontend.eager cimport is_enabled
from lazyarr._core.frontend.eager_ufunc cimport call_at_once
from lazyarr._core.frontend.foreign_operands cimport is_answering, is_derived
from lazyarr._core.frontend.handle cimport lend, value_of
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.numpy_call cimport ufunc_by_protocol
from lazyarr._core.frontend.ufunc_call cimport binary, call_ufunc
from lazyarr._core.ir.fp_errors cimport runs_operator
from lazyarr._core.ir.inner_loops cimport Ufunc, find_ufunc, passing

import numpy as np

cdef object _ndarray = np.ndarray
cdef object _generic = np.generic
cdef object _ufunc = np.ufunc


cdef object array_ufunc(object ufunc, str method, tuple inputs, dict kwargs):
    cdef Ufunc* u
    if not isinstance(ufunc, _ufunc):  # a ufunc-like object of another library
        return call_hook("ufunc_of_values", (ufunc, method, inputs, kwargs))
    if not kwargs and method == "__call__" and len(inputs) <= 2 and not passing(ufunc):
        u = find_ufunc(ufunc)
        if len(inputs) == u.nin:
            made = call_at_once(u, inputs[0], inputs[len(inputs) - 1])
            if made is not None:
                return made
    for operand in inputs + kwargs["out"] if "out" in kwargs else inputs:
        if type(operand) is not LazyArray and type(operand) is not _ndarray:
            if is_answering(operand):
                return call_hook("ufunc_of_others", (ufunc, method, inputs, kwargs))
            if is_derived(operand):
                return call_hook("ufunc_of_values", (ufunc, method, inputs, kwargs))
    if method == "__call__":
        if is_enabled() and not passing(ufunc):
            made = ufunc_by_protocol(ufunc, find_ufunc(ufunc).elementwise, inputs, kwargs)
            if made is not NotImplemented:
                return made
        if len(inputs) == 2 and not kwargs and (
                isinstance(inputs[0], _generic) and runs_operator() or _stands_for_scalar(inputs[0], inputs[1])) \
                and ufunc.nin == 2:
            return binary(find_ufunc(ufunc), inputs[0][()], inputs[1], True)
        return call_ufunc(ufunc, inputs, kwargs)
    if method == "reduce" and kwargs.get("out", (None,))[0] is not None \
            and not any([isinstance(operand, LazyArray) for operand in inputs]):
        # NumPy's mean, var and std of an ndarray continue with an ndarray only.
        kwargs["out"] = tuple([lend(operand) for operand in kwargs["out"]])
        if isinstance(kwargs.get("where"), LazyArray):
            kwargs["where"] = value_of(kwargs["where"])
        return ufunc.reduce(*inputs, **kwargs)
    return call_hook("ufunc_method", (ufunc, method, inputs, kwargs))


cdef bint _stands_for_scalar(object operand, object other):
    """Return whether NumPy made this array from the left scalar of a complex comparison.

    NumPy compares its scalars as temporary arrays: the call itself holds five references; a user's array has one more.
    Without complex operands, scalars compare like arrays.
    """
    return type(operand) is _ndarray and (<cnp.ndarray>operand).ndim == 0 and Py_REFCNT(<PyObject*>operand) <= 5 \
        and (operand.dtype.kind == "c" or other.dtype.kind == "c")
