"""ndarrays on a node's memory."""
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node

cdef object as_ndarray(Node node)
cdef object ndarray_on(object dtype, int ndim, npy_intp* shape, npy_intp* strides, char* data, object owner,
                       bint writeable)
cdef object writeable_array(Node node)
