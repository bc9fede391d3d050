from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef LazyArray new_view(LazyArray of, Node spec, bint writeable)
cdef LazyArray window_view(LazyArray of, int ndim, npy_intp* shape, npy_intp* strides, npy_intp offset, bint writeable)
cdef LazyArray transposed_view(LazyArray of)
cdef LazyArray handle_of(Node node)
cdef bint shelve_view(LazyArray handle) noexcept
cpdef LazyArray adopt(array)
