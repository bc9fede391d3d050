from numpy cimport npy_intp

from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef bint run_loop(Loop* loop, int ndim, npy_intp* shape, char** data, npy_intp** strides, int nargs,
                   bint any_order=*) except -1
cdef int copy_elements(int ndim, npy_intp* shape, char* target, npy_intp* target_strides, int target_code,
                       char* source, npy_intp* source_strides, int source_code) except -1
cdef Node cast_elements(Node source, char* data, int code)
cdef int copy_slices(Node made, npy_intp into, Node source, char* data, npy_intp first, npy_intp count,
                     int axis) except -1
cdef int copy_flat(char* to, int code, Node source, char* data) except -1
cdef Node as_line(Node a)
cdef bint goes_by_rows(Node a) noexcept
