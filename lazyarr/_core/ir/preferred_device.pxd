from numpy cimport npy_intp

from lazyarr._core.ir.history cimport recordings
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.provenance cimport put_on

cdef struct Preference:
    int device              # for large results of operations on host arrays; 0 for none
    bint has_blocks         # whether any block has begun, in any thread
    npy_intp least_bytes    # of a large array

cdef Preference preference

cdef bint is_in_block() noexcept

cdef class Block:
    cdef readonly object device


cdef inline bint is_preferred(npy_intp nbytes) noexcept:
    """Whether the preferred device computes a result of `nbytes` bytes whose operands are on the host."""
    return preference.device and nbytes >= preference.least_bytes and not (preference.has_blocks and is_in_block())


cdef inline bint places_arrays() noexcept:
    """Whether arrays may have to be made on a device."""
    return preference.device or preference.has_blocks and is_in_block()


cdef inline void prefer_device(Node made) noexcept:
    """Have a large result of operands on the host be computed on the preferred device, unless a function is traced."""
    if preference.device and made.device == 0 and not made.stays_on_host and recordings == 0 \
            and is_preferred(made.size * made.itemsize):
        put_on(made, preference.device)
