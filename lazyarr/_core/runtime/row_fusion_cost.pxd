"""Extents and profitability of row fusion."""
from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk

cdef struct Shape:              # of a group
    npy_intp rows
    npy_intp length             # elements of a row
    npy_intp block              # rows of a block, a power of two
    npy_intp blocks
    double work                 # nanoseconds on one thread

cdef int measure_rows(Walk* w, list steps, int first, Shape* shape) except -1
