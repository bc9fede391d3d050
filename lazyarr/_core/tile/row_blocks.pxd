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

cdef struct Moving:         # an operand that lies elsewhere for each round, block or thread
    int operand             # of a job, or a fold behind them
    char** places           # by round
    npy_intp offset         # bytes from there
    npy_intp by_block, by_thread    # bytes from one to the next

cdef struct Member:         # a program
    Run run
    bint has_rows           # else each thread runs all of it
    npy_intp length         # elements of its space for each row
    npy_intp units          # of a block
    Moving* moving
    int nmoving
    char* copies            # of the job, one a thread, if operands move; else NULL
    npy_intp apart          # bytes from one of them to the next

cdef struct Team:
    Member* members
    int count, threads
    npy_intp rows
    npy_intp block          # rows of a block
    npy_intp blocks
    char* scratch
    npy_intp scratch_size   # of a thread

cdef struct Bands:          # memory for values that only the programs of a group read
    int count
    npy_intp size               # of all of a thread's
    npy_intp steps[MOST_BANDS]  # bytes from one block to the next
    npy_intp offsets[MOST_BANDS]
    char* memory                # of the first thread

cdef struct Access:         # to memory, by an operand or a fold of a program
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
    """Where an operand lies in a round."""
    return moving.places[t] + moving.offset + block * moving.by_block + thread * moving.by_thread


cdef inline Job* job_of(Member* member, int thread) noexcept nogil:
    """A thread's copy of a job, or the one job of all threads."""
    return <Job*>(member.copies + thread * member.apart) if member.copies is not NULL else &member.run.job


cdef inline npy_intp whole_lines(npy_intp nbytes) noexcept nogil:
    """Bytes of the cache lines that this many bytes take."""
    return (nbytes + 63) & ~<npy_intp>63
