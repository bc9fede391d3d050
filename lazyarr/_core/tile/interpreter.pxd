"""Execution of tile programs."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.job cimport Job

cdef struct Run:        # run of a program
    Job job
    npy_intp elements   # size of its space; 0: nothing to do
    double work         # ns on one thread

cdef int run_program(TileProgram program, PyObject** nodes, int* status, bint interruptible, int* started) except -1

cdef int prepare_member(Run* run, TileProgram program, PyObject** nodes, bint interruptible, int threads) except -1
cdef void run_member(Run* run, int thread) noexcept nogil

# the parts of `run_program`, for programs that run on parts of a kernel's result, or on rows
cdef int begin_run(Run* run, TileProgram program, PyObject** nodes, bint interruptible) except -1
cdef void set_reruns(Job* job, bint overwrites) noexcept
cdef int finish_run(Run* run, TileProgram program, PyObject** nodes, int* status) except -1
cdef char* take_memory(Job* job, PyObject** nodes, int threads, npy_intp more) except NULL
cdef int run_units(Job* job, double work, int threads, bint interruptible) except -1
cdef void run_unit(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil
cdef void book_status(Job* job, int threads, int* status) noexcept
