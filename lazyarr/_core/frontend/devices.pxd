from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef int common_device(object arrays) except -1
cdef bint is_borrowed(LazyArray base)
