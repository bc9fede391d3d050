"""The lock around the core on free-threaded builds, for C entry points."""

cdef extern from "simd/entry_lock.h":
    ctypedef struct lz_entry:
        pass
    void lz_enter(lz_entry* entry) noexcept
    void lz_leave(lz_entry* entry) noexcept
