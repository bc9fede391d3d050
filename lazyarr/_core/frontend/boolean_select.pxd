from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.inner_loops cimport Ufunc

cpdef LazyArray select_elements(LazyArray x, LazyArray mask)
cdef LazyArray call_selected(Ufunc* u, tuple args)
cdef bint update_selected(Ufunc* u, LazyArray self, tuple args) except -1
cdef bint put_selected(LazyArray x, LazyArray mask, LazyArray value) except -1
