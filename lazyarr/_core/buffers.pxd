"""Pooled, 64-byte aligned memory blocks."""

cdef class Buffer:
    cdef char* data
    cdef size_t nbytes      # that were asked for
    cdef size_t capacity    # that there are
    cdef Buffer whole       # the block that this is a part of, or None
    cdef int lent           # ndarrays on it that handles keep for themselves
    cdef bint outlived      # what lies there may be read when this is gone, as long as the block is there

cdef Buffer new_buffer(size_t nbytes)
cdef void give_way(size_t nbytes)
cdef Buffer part_of(Buffer whole, size_t offset, size_t nbytes, bint outlived=*)
cdef void guard(Buffer whole) noexcept
cdef double live_bytes() noexcept
