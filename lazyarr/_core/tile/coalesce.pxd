"""Coalescing the axes of an iteration space."""
from libc.stdint cimport uint64_t
from numpy cimport npy_intp

from lazyarr._core.tile.job cimport Job

cdef struct Rows:       # strides of what moves, a row for each: stores, loads, results of folds; repeats of loads
    int nmoving         # stores and loads
    int nrepeated       # loads that repeat what they read; they tell how often, too
    int count
    npy_intp* raw       # along the axes of the space
    npy_intp* merged    # along those that are left
    npy_intp* order     # of the axes of the space, from the outermost

cdef int coalesce(Job* job, Rows* rows, int ndim, npy_intp* shape, uint64_t folded, int* nkept) noexcept nogil
