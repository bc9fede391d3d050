"""Overlap tests for strided windows on one storage, and copies of what a window omits."""
from numpy cimport npy_intp
from lazyarr._core.ir.node cimport MAX_DIMS, Node

cdef struct Window:
    int ndim
    npy_intp* shape
    npy_intp* strides
    npy_intp offset, size       # byte offset in the storage; itemsize

cdef struct Grid:               # by axis of the storage
    npy_intp start[MAX_DIMS]
    npy_intp step[MAX_DIMS]
    npy_intp count[MAX_DIMS]
    int axis[MAX_DIMS]          # by window axis: the storage axis, -1 for length 1

cdef Window shown_window(Node node) noexcept
cdef Window replaced_window(Node update) noexcept
cdef bint find_grid(Node storage, Window window, Grid* grid) noexcept nogil
cdef bint windows_clash(Node storage, Window a, Window b) noexcept
cdef bint same_window(Window a, Window b) noexcept
cdef bint window_overlaps_itself(Node window) noexcept
cdef bint windows_tile(Node storage, list windows) except? 2
cdef void copy_outside(Node storage, char* dst, char* src, Window window) noexcept nogil
cdef void copy_nd(char* dst, npy_intp* dst_strides, char* src, npy_intp* src_strides, npy_intp* shape, int nd,
                  npy_intp size) noexcept nogil
