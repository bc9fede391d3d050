from numpy cimport npy_intp

from lazyarr._core.ir.history cimport recordings
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.provenance cimport put_on

cdef struct Preference:
    int device              # for large results of operations on host arrays; 0: none
    bint has_blocks         # whether any thread has used a block
    npy_intp least_bytes    # smallest size of a large array

cdef Preference preference

cdef bint is_in_block() noexcept

cdef class Block:
    cdef readonly object device


cdef inline bint is_preferred(npy_intp nbytes) noexcept:
    """Return whether the preferred device computes a result of `nbytes` bytes from host operands."""
    return preference.device and nbytes >= preference.least_bytes and not (preference.has_blocks and is_in_block())


cdef inline bint places_arrays() noexcept:
    """Return whether arrays may have to be made on a device."""
    return preference.device or preference.has_blocks and is_in_block()


cdef inline void prefer_device(Node made) noexcept:
    """Place a large result of host operands on the preferred device, except while tracing."""
    if preference.device and made.device == 0 and not made.stays_on_host and recordings == 0 \
            and is_preferred(made.size * made.itemsize):
        put_on(made, preference.device)
