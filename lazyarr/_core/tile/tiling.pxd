"""Tiling: cutting an iteration space into blocks."""
from numpy cimport npy_intp

from lazyarr._core.tile.job cimport Job

cdef bint is_walk_worth_it(Job* job, npy_intp among, npy_intp below, npy_intp row, int nd) noexcept nogil
cdef void cut(Job* job, bint gaps) noexcept nogil
cdef void end_at_rows(Job* job, npy_intp columns) noexcept nogil
cdef bint hold_back(Job* job) noexcept nogil
