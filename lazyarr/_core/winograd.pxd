"""Winograd's convolution, of float32 with 3 x 3 taps."""
cimport numpy as cnp

cdef bint serves(cnp.ndarray out, cnp.ndarray x, cnp.ndarray w, tuple stride, tuple dilation) except -1
cdef bint correlate(cnp.ndarray out, cnp.ndarray x, cnp.ndarray w, int stride, tuple first) except -1
