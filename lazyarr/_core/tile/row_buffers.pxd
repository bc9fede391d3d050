"""Memory for blocks of values that are needed by a group of programs alone."""
from lazyarr._core.ir.node cimport Node
from lazyarr._core.tile.job cimport Job
from numpy cimport npy_intp

cdef enum:
    MOST_BANDS = 32

cdef struct Bands:
    int count
    npy_intp size               # of all of a thread's
    npy_intp steps[MOST_BANDS]  # bytes from one block to the next
    npy_intp offsets[MOST_BANDS]
    char* memory                # of the first thread

cdef inline size_t nowhere() noexcept nogil:
    """An address behind those that memory has."""
    return <size_t>1 << 62

cdef inline bint is_in_band(char* p) noexcept nogil:
    """Whether what an operand begins with lies in bands."""
    return <size_t>p >= nowhere()

cdef int add_band(Bands* bands, Node node, npy_intp nbytes) except -1
cdef bint reads_bands(Job* job) noexcept
cdef npy_intp copy_bytes(Job* job) noexcept
cdef void copy_job(Job* job, char* to) noexcept
cdef Job* point_at_block(Bands* bands, Job* job, char* copies, npy_intp block, int thread) noexcept nogil
