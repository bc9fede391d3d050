from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef bint shelve(LazyArray handle) noexcept
cdef LazyArray bare_handle()
