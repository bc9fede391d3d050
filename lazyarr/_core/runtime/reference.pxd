"""The reference backend."""
from lazyarr._core.ir.fingerprint cimport Walk

cdef bint uses_reference() noexcept
cdef int compute_nodes(Walk* w, list raised, list timeline) except -1
