from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cpdef LazyArray asarray_operand(obj)
cdef bint contains_lazy(object value)
cpdef array_given_by(obj)
cpdef with_arrays(obj)
cpdef asarray_of_others(obj, dtype=*)
cdef Node operand_node(object obj)
cdef bint is_array(object x)
cdef bint can_cast(int source, int target) except -1
