"""Laying out the iteration space of a tile program, in memory that its runs share."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.job cimport Job

cdef enum:
    MAX_CONCURRENT = 128       # programs that run side by side

cdef npy_intp lay_out(Job* job, TileProgram program, PyObject** nodes, int* nkept, npy_intp** fold_strides,
                      size_t* used) except -1
cdef char* reserve(size_t nbytes, int ago=*) except NULL
cdef char* grow(Job* job, size_t fixed, size_t total) except NULL
cdef int enter_run() except -1
cdef void leave_run() noexcept
