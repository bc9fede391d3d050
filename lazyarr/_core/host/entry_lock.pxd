"""The lock around the core where there is no GIL, for functions that are called as C functions."""

cdef extern from "simd/entry_lock.h":
    ctypedef struct lz_entry:
        pass
    void lz_enter(lz_entry* entry) noexcept
    void lz_leave(lz_entry* entry) noexcept
