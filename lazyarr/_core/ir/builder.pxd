"""Node constructors, one per kind of node."""
from cpython.object cimport PyObject
from numpy cimport npy_intp
from libc.stdint cimport uint64_t
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef Node map_node(Loop* loop, int nin, PyObject** inputs, Node like)
cdef Node masked_node(int kind, Loop* loop, int nin, PyObject** inputs)
cdef Node scatter_packed(Node node)
cdef Node zero(int code)
cdef Node result_node(Node source, int which, object dtype, int typenum)
cdef Node cast_node(Node source, int code, Node like)
cdef Node broadcast_node(Node source, int ndim, npy_intp* shape)
cdef Node view_node(Node base, Node spec)
cdef Node window_of(Node node, Node spec)
cdef Node drop_axes(Node node, int lead)
cdef Node update_node(Node old, Node spec, Node value)
cdef Node scan_node(Loop* loop, Node source, object axis, object order)
cdef Node reduce_node(Loop* loop, Node source, uint64_t axes, bint keepdims)
cdef list result_nodes(Node call)
cdef Node stored_node(int kind, int ndim, npy_intp* shape, object dtype, int typenum, bint fortran)
cdef Node empty_like(Node like)
cdef Node opaque_node(object name, object function, list inputs, tuple shape, object dtype, object specs,
                      object axes=*)
cdef void iteration_axes(int nd, int nin, PyObject** inputs, int* perm) noexcept
cdef object iterated_axes(Node node)
cdef void axes_by_stride(Node node, int* perm) noexcept
cdef object outermost_first(int* perm, int nd)
cdef int set_strides(Node node, int* perm) except -1
cdef int lay_out(Node node, object axes) except -1
cdef bint broadcast_into(Node a, int* ndim, npy_intp* shape) except? 2
