"""Tile programs on blocks of rows."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.interpreter cimport Run
from lazyarr._core.tile.job cimport Job

cdef enum:
    MOST_BANDS = 32

cdef struct Moving:         # an operand whose address depends on round, block or thread
    int operand             # operand of a job, or a fold after them
    char** places           # base address by round
    npy_intp offset         # byte offset
    npy_intp by_block, by_thread    # byte strides

cdef struct Member:         # a program of a team
    Run run
    bint has_rows           # false: each thread runs all of it
    npy_intp length         # elements of its space per row
    npy_intp units          # units per block
    Moving* moving
    int nmoving
    char* copies            # copies of the job, one per thread, if operands move; else NULL
    npy_intp apart          # bytes between copies

cdef struct Team:
    Member* members
    int count, threads
    npy_intp rows
    npy_intp block          # rows per block
    npy_intp blocks
    char* scratch
    npy_intp scratch_size   # bytes per thread

cdef struct Bands:          # memory for values that only the programs of a group read
    int count
    npy_intp size               # bytes of all bands of a thread
    npy_intp steps[MOST_BANDS]  # bytes between blocks
    npy_intp offsets[MOST_BANDS]
    char* memory                # bands of the first thread

cdef struct Access:         # memory access by an operand or a fold of a program
    char* base
    char* begin
    char* end
    npy_intp* strides
    npy_intp size
    bint writes
    bint repeats

cdef bint lay_out_rows(Team* team, int k, TileProgram p, PyObject** nodes, bint interruptible) except -1
cdef Buffer take_thread_memory(Team* team, npy_intp scratch, npy_intp more)
cdef npy_intp copy_bytes(Job* job) noexcept
cdef void copy_job(Job* job, char* to, int threads) noexcept
cdef void run_rows(Team* team, int k, npy_intp t, npy_intp first, npy_intp end, int thread) noexcept nogil

cdef bint is_walked_in_order(Job* job, npy_intp* strides, npy_intp size, npy_intp alike) noexcept
cdef bint find_access(Run* run, int k, Access* access) noexcept
cdef void find_extent(Access* access, int ndim, npy_intp* shape) noexcept
cdef bint share_rows(Run* a, npy_intp length_a, Run* b, npy_intp length_b) noexcept

cdef int add_band(Bands* bands, Node node, npy_intp nbytes) except -1
cdef bint is_in_band(char* p) noexcept nogil
cdef void move_bands(Bands* bands, Team* team) noexcept


cdef inline char* place_of(Moving* moving, npy_intp t, npy_intp block, int thread) noexcept nogil:
    """Return the address of an operand in a round."""
    return moving.places[t] + moving.offset + block * moving.by_block + thread * moving.by_thread


cdef inline Job* job_of(Member* member, int thread) noexcept nogil:
    """Return a thread's copy of a job, or the job shared by all threads."""
    return <Job*>(member.copies + thread * member.apart) if member.copies is not NULL else &member.run.job


cdef inline npy_intp whole_lines(npy_intp nbytes) noexcept nogil:
    """Round bytes up to whole cache lines."""
    return (nbytes + 63) & ~<npy_intp>63
