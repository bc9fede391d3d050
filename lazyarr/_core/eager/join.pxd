"""Joining and shifting at once: what other native forms share."""
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef LazyArray reshaped_result(Node made, int ndim, npy_intp* shape)
