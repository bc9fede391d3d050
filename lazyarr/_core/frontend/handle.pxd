from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef LazyArray new_handle(Node node, bint scalar)
cdef int check_writeable(LazyArray handle, str refusal) except -1
cdef Node node_of(LazyArray handle)
cdef Node layout_of(LazyArray handle)
cdef LazyArray storage_of(LazyArray handle)
cdef int force(LazyArray handle) except -1
cdef object value_of(LazyArray handle)
cpdef object lend(LazyArray handle)
cdef int write(LazyArray handle, Node value, bint fresh) except -1
cdef object dummy(object operand)
