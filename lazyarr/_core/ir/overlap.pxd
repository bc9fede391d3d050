"""Strided windows on one storage: do two overlap, does one overlap itself, do several make
it up, and what of a storage does one leave out."""
from numpy cimport npy_intp
from lazyarr._core.ir.node cimport Node

cdef bint windows_clash(Node storage, int nd_a, npy_intp* shape_a, npy_intp* strides_a, npy_intp offset_a,
                        npy_intp size_a, int nd_b, npy_intp* shape_b, npy_intp* strides_b, npy_intp offset_b,
                        npy_intp size_b) noexcept
cdef bint same_window(int nd_a, npy_intp* shape_a, npy_intp* strides_a, npy_intp offset_a, npy_intp size_a,
                      int nd_b, npy_intp* shape_b, npy_intp* strides_b, npy_intp offset_b, npy_intp size_b) noexcept
cdef bint window_overlaps_itself(Node window) noexcept
cdef bint windows_tile(Node storage, list windows) except? 2
cdef void copy_outside(Node storage, char* dst, char* src, int nd, npy_intp* shape, npy_intp* strides,
                       npy_intp offset, npy_intp size) noexcept nogil
cdef void copy_nd(char* dst, npy_intp* dst_strides, char* src, npy_intp* src_strides, npy_intp* shape, int nd,
                  npy_intp size) noexcept nogil
