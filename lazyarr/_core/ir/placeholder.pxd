"""Placeholders: nodes that stand for arguments of a traced function; shape and dtype without values."""
from lazyarr._core.ir.node cimport Node

cdef bint is_traced(Node node)
cdef Node stand_in(Node node, int kind)
cdef int lie_as(Node made, Node node) except -1
