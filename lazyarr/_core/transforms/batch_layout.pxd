"""Memory layout of batches."""
from numpy cimport npy_intp
from lazyarr._core.ir.node cimport Node

cdef class BatchLayout:
    cdef npy_intp size
    cdef dict found            # by node that depends on an element: its batched counterpart

    cdef Node form(self, int kind, Node node, npy_intp unit)
    cdef Node window(self, Node storage, Node batched, int nd, npy_intp* shape, npy_intp* strides, npy_intp offset,
                     Node like)
    cdef Node storage(self, Node node, npy_intp unit)
    cdef Node aligned(self, Node x, int ndim)
    cdef Node whole(self, Node x)
    cdef Node own_storage(self, Node old, npy_intp unit)
    cdef Node lines(self, Node x)
