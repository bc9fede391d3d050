"""Reshaping: which shapes a view can have."""
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node

cdef bint is_fortran(Node node) noexcept
cdef bint matched(int ndim, npy_intp* shape, npy_intp* strides, int nd, npy_intp* dims, npy_intp* found,
                  npy_intp itemsize) noexcept
