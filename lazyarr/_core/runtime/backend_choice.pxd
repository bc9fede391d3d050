"""The choice of the backend that computes a call."""
from lazyarr._core.ir.node cimport Node

cdef bint has_choice() noexcept
cdef object backend_of(Node node)
cdef str called_name(Node node)
