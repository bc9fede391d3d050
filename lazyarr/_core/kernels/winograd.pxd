"""Winograd convolution of float32 with 3 x 3 taps."""
from numpy cimport npy_intp

from lazyarr._core.kernels.conv_tiling cimport Job

cdef bint serves(Job* job) noexcept
cdef double work(Job* job) noexcept
cdef void lay_out(Job* job, int threads) noexcept
cdef void sum_tiles(Job* job, int thread, npy_intp begin, npy_intp end, npy_intp column, npy_intp stop,
                    char* memory) noexcept nogil
