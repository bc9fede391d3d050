from lazyarr._core.ir.inner_loops cimport Ufunc

cdef bint is_derived(object obj)
cpdef bint is_answering(object obj)
cdef object deferred(Ufunc* u, object a, object b)
cdef object decided(object function, str reflected, object a, object b)
