"""Leaves: nodes with values from outside."""
from lazyarr._core.ir.node cimport Node

cdef int code_of(object dtype) except? -2
cdef int operand_code(object obj) except? -2
cdef bint is_immutable(object array)
cdef Node leaf_node(object array, bint share)
cdef int verify_shared(Node node) except -1
cdef Node weak_node(object value, int code)
cdef Node strong_node(object value)
cdef Node strong_scalar(object value)
cdef Node scalar_from_memory(Node like, char* data)
