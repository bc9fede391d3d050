"""Placeholders: arguments of a traced function, with shape and dtype but no value."""
from lazyarr._core.ir.node cimport Node

cdef bint is_traced(Node node)
cdef Node stand_in(Node node, int kind)
cdef int lie_as(Node made, Node node) except -1
