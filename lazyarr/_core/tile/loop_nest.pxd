"""Layout of the iteration space of a tile program, in memory shared by runs."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from libc.stdint cimport uint64_t
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.job cimport Job

cdef enum:
    MAX_CONCURRENT = 128       # concurrent programs

cdef enum Part:                # parts of a run's memory
    LAYOUT
    SCRATCH                    # written by threads

cdef void load_strides(Node node, int ndim, npy_intp* shape, npy_intp* out) noexcept nogil
cdef void fold_strides(Node out, uint64_t folded, int ndim, npy_intp* row) noexcept nogil
cdef npy_intp lay_out(Job* job, TileProgram program, PyObject** nodes) except -1
cdef char* reserve(Part part, size_t nbytes, int ago=*) except NULL
cdef int enter_run() except -1
cdef void leave_run() noexcept
