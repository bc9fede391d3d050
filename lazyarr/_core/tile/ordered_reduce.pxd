"""Ordered folds."""
from numpy cimport npy_intp
from lazyarr._core.tile.job cimport Job

cdef npy_intp in_order_scratch(Job* job, int f) noexcept nogil
cdef void in_order_unit(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil
cdef void combine_extrema(Job* job, int f) noexcept nogil
