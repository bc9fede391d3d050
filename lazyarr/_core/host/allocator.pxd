"""The pool of 64-byte aligned memory blocks."""

cdef class Buffer:
    cdef char* data
    cdef size_t nbytes      # requested bytes
    cdef size_t capacity    # allocated bytes
    cdef Buffer whole       # the block that this is a part of, or None
    cdef int lent           # ndarrays on it that handles cache
    cdef bint outlived      # its memory may be read after this is freed, as long as the block lives

# Frees the Buffers that freelists keep with their blocks (`shelve`).
cdef void (*clear_shelves)() noexcept
# Frees the results kept by the memo.
cdef void (*release_results)() noexcept


cdef inline int size_class(size_t nbytes, size_t* capacity) noexcept:
    """Return the class of a request and its block size: 64 bytes, then four sizes per power of two."""
    cdef size_t step = 16
    cdef int index = 0
    if nbytes <= 64:
        capacity[0] = 64
        return 0
    while step * 8 < nbytes:
        step <<= 1
        index += 4
    # step * 4 < nbytes <= step * 8
    cdef size_t quarters = (nbytes + step - 1) // step
    capacity[0] = quarters * step
    return index + <int>(quarters - 4)


cdef Buffer new_buffer(size_t nbytes)
cdef bint shelve(Buffer buffer) noexcept
cdef void unshelve(Buffer buffer, size_t nbytes) noexcept
cdef bint is_over_limit(size_t nbytes) noexcept
cdef void give_way(size_t nbytes)
cdef Buffer part_of(Buffer whole, size_t offset, size_t nbytes, bint outlived=*)
cdef void guard(Buffer whole) noexcept
cdef void note_evaluation() noexcept
cdef double new_bytes() noexcept
