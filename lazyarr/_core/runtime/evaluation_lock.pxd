"""One evaluation at a time."""

from lazyarr._core.host.run_context cimport RunContext

cdef RunContext* enter() except NULL
cdef void leave() noexcept
cdef bint evaluates_here() noexcept

cdef class held:
    pass
