"""Winograd's convolution, of float32 with 3 x 3 taps."""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.tile.epilogue cimport Epilogue

cdef bint serves(cnp.ndarray out, cnp.ndarray x, cnp.ndarray w, tuple stride, tuple dilation) except -1
cdef int correlate(cnp.ndarray out, cnp.ndarray x, cnp.ndarray w, int stride, tuple first, Epilogue* epilogue,
                   npy_intp beyond, char* doubtful) except -1
