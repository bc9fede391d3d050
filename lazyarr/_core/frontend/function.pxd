from cpython.object cimport PyObject

from lazyarr._core.frontend.native_forms cimport Native
from lazyarr._core.ir.inner_loops cimport Ufunc

ctypedef PyObject* (*VectorCall)(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names)

cdef class Function:
    cdef VectorCall vectorcall
    cdef Native native
    cdef int variant           # last argument of `native`
    cdef readonly object values
    cdef readonly object lazily
    cdef readonly object by_method
    cdef public object original   # the NumPy function that it replaces and equals; or None
    cdef readonly bint waits
    cdef bint writes
    cdef double room
    cdef double largest
    cdef int evaluates
    cdef bint views
    cdef bint makes
    cdef bint multiplies
    cdef public bint overridable  # whether operands of other classes may override it
    cdef str name
    cdef long long calls       # eager calls of NumPy's function
    cdef bint method
    cdef int counted
    cdef int out
    cdef dict __dict__
    cdef object __weakref__

cdef class UfuncCaller:
    cdef VectorCall vectorcall
    cdef Ufunc* record
    cdef readonly object ufunc
    cdef readonly bint waits
