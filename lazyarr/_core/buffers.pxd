"""Pooled, 64-byte aligned memory blocks."""

cdef class Buffer:
    cdef char* data
    cdef size_t capacity

cdef Buffer new_buffer(size_t nbytes)
cdef double live_bytes() noexcept
