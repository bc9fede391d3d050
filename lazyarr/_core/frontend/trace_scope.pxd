from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef int prepare_access(LazyArray handle) except -1
cdef int refuse_outside(LazyArray handle) except -1
cdef bint is_from_outside(LazyArray handle) noexcept
cdef bint is_sealed(Node node) except -1
