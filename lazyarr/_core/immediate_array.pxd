"""Choosing, sorting, joining and shifting at once: what other native forms share."""
from numpy cimport npy_intp

cdef void roll_lines(char* into, char* data, npy_intp lines, npy_intp count, npy_intp width, npy_intp shift) noexcept
