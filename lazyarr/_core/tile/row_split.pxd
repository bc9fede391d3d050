"""Alignment of work units with blocks of rows, for programs that run block by block."""
from numpy cimport npy_intp

from lazyarr._core.tile.interpreter cimport Run
from lazyarr._core.tile.job cimport Job
from lazyarr._core.ir.tile_program cimport TileProgram

cdef bint is_even(TileProgram p) noexcept
cdef npy_intp cut_at_rows(Job* job, npy_intp length, npy_intp rows, bint even) noexcept
cdef bint folds_whole_rows(Run* run, npy_intp outputs) noexcept
cdef bint share_rows(Run* a, npy_intp length_a, Run* b, npy_intp length_b) noexcept
