from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef LazyArray product_of_chain(object a, object b)
