from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef object item_at_once(LazyArray self, object key)
cdef object number_at_once(LazyArray self, tuple key)
cdef object taken(LazyArray self, object key)
