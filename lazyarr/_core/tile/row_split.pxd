"""Alignment of work units with blocks of rows, for programs that run block by block."""
from numpy cimport npy_intp

from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.interpreter cimport Run
from lazyarr._core.tile.job cimport Job

cdef struct Access:         # to memory, by an operand or a fold of a program
    char* base
    char* begin
    char* end
    npy_intp* strides
    npy_intp size
    bint writes
    bint repeats

cdef bint is_even(TileProgram p) noexcept
cdef npy_intp cut_at_rows(Job* job, npy_intp length, npy_intp rows, bint even) noexcept
cdef bint folds_whole_rows(Run* run, npy_intp outputs) noexcept
cdef bint folds_are_in_place(Run* run) noexcept
cdef bint find_access(Run* run, int k, Access* access) noexcept
cdef void find_extent(Access* access, int ndim, npy_intp* shape) noexcept
cdef bint share_rows(Run* a, npy_intp length_a, Run* b, npy_intp length_b) noexcept
