# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Memory for values that only the programs of a group read: one block a thread, a band, in place of the whole array.

While programs are laid out such a value has an address at which there is no memory. When a thread takes a block through
them, its own copies of their operands begin where they would have to for the block to lie in its band.
"""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node
from lazyarr._core.tile.job cimport Job, Operand

cdef enum:
    APART = 48              # bits: values without memory are so far from each other


cdef int add_band(Bands* bands, Node node, npy_intp nbytes) except -1:
    """Place a value, whose blocks take `nbytes` bytes, in bands."""
    node.data = <char*>(nowhere() + (<size_t>bands.count << APART))
    bands.steps[bands.count] = nbytes
    bands.offsets[bands.count] = bands.size
    bands.size += (nbytes + 63) & ~<npy_intp>63
    bands.count += 1
    return 0


cdef bint reads_bands(Job* job) noexcept:
    """Whether a job reads or writes values that lie in bands."""
    cdef int k
    for k in range(job.noperand):
        if is_in_band(job.operands[k].base):
            return True
    return False


cdef npy_intp copy_bytes(Job* job) noexcept:
    """Bytes of a thread's copy of a job."""
    return sizeof(Job) + job.noperand * sizeof(Operand)


cdef void copy_job(Job* job, char* to) noexcept:
    """Make a thread's copy of a job."""
    memcpy(to, job, sizeof(Job))
    (<Job*>to).operands = <Operand*>(to + sizeof(Job))
    memcpy(to + sizeof(Job), job.operands, job.noperand * sizeof(Operand))


cdef Job* point_at_block(Bands* bands, Job* job, char* copies, npy_intp block, int thread) noexcept nogil:
    """A thread's copy of a job, which finds a block in the thread's bands."""
    cdef Job* mine = <Job*>(copies + thread * (sizeof(Job) + job.noperand * sizeof(Operand)))
    cdef size_t away
    cdef int k, band
    for k in range(job.noperand):
        if is_in_band(job.operands[k].base):
            away = <size_t>job.operands[k].base - nowhere()
            band = <int>(away >> APART)
            mine.operands[k].base = bands.memory + thread * bands.size + bands.offsets[band] \
                + <npy_intp>(away - (<size_t>band << APART)) - block * bands.steps[band]
    return mine
