from cpython.object cimport PyObject
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef Node constant_result(Loop* loop, int nin, PyObject** inputs)
cdef Node constant_cast(Node constant, int code)
cdef Node as_number(Node node)
cpdef LazyArray inner_product(object function, object a, object b)
