"""Copies between layouts."""
from numpy cimport npy_intp
from lazyarr._core.tile.job cimport Job

cdef bint plan_copy(Job* job) noexcept nogil
cdef double copy_work(Job* job) noexcept nogil
cdef void copy_unit(Job* job, npy_intp unit) noexcept nogil
