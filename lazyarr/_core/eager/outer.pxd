from lazyarr._core.ir.inner_loops cimport Ufunc

cdef object outer_product(Ufunc* u, object a, object b)
