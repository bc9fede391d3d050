"""Placeholders: arguments of a traced function, with shape and dtype but no value."""
from lazyarr._core.ir.node cimport Node

cdef bint is_traced(Node node)
cdef Node node_like(Node node, int kind)
cdef int copy_layout(Node made, Node node) except -1
