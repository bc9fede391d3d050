"""One evaluation at a time."""

cdef enum:
    MAX_DEPTH = 16

cdef int depth  # evaluations that are nested on the thread that evaluates; 0 if none does

cdef int enter() except -1
cdef void leave() noexcept
