"""Memory that kernels take for themselves while they run."""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer

cdef struct Lent:
    void* whole             # a `Buffer`, or NULL
    npy_intp at             # from where on it is free
    npy_intp most           # the highest end of what was asked for
    unsigned long owner     # the thread it is lent to

cdef Buffer new_scratch(size_t nbytes)
cdef Lent lend(Buffer whole) noexcept
cdef npy_intp end_loan(Lent before) noexcept
cdef void lend_nothing() noexcept
cdef npy_intp lent_from() noexcept
cdef void lend_from(npy_intp at) noexcept
