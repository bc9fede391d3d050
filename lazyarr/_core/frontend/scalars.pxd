from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef str scalar_name(LazyArray self)
cdef bint are_scalars(LazyArray self, object other)
cdef object element_of_scalar(LazyArray self, object key)
cdef int assign_to_scalar(LazyArray self, object key, object value) except -1
cdef object number_class(type scalar)
