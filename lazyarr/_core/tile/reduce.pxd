"""Folds: reductions at the end of a tile program."""
from numpy cimport npy_intp
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node
from lazyarr._core.tile.job cimport Job

cdef Loop* parts_of(Loop* loop) noexcept nogil
cdef void fold_unit(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil
cdef bint folds_in_place(Job* job, int f) noexcept
cdef npy_intp fold_scratch(Job* job, int f, npy_intp elements) noexcept nogil
cdef int finish_fold(Job* job, int f, Node out) except -1
