from cpython.object cimport PyObject

from lazyarr._core.frontend.native_forms cimport Native
from lazyarr._core.ir.inner_loops cimport Ufunc

ctypedef PyObject* (*VectorCall)(PyObject* callable, PyObject** args, size_t nargsf, PyObject* names)

cdef class Function:
    cdef VectorCall vectorcall
    cdef Native native
    cdef int variant           # the last argument of `native`
    cdef readonly object values
    cdef readonly object lazily
    cdef readonly object by_method
    cdef public object original   # NumPy's function that it stands for and is equal to; or None
    cdef readonly bint waits
    cdef bint writes
    cdef double room
    cdef double largest
    cdef int evaluates
    cdef bint views
    cdef bint makes
    cdef bint multiplies
    cdef public bint overridable  # whether operands of other classes may decide what it gives
    cdef str name
    cdef long long calls       # of NumPy's function at once
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
