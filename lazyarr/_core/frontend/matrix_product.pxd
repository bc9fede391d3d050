from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef LazyArray product(Node x, Node y, tuple shape, str name)
cdef LazyArray product_of_matrices(object a, object b)
