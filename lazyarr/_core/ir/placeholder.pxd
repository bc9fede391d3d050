"""Nodes that stand for arguments of a function whose graph is being learnt: a form without values."""
from lazyarr._core.ir.node cimport Node

cdef bint is_traced(Node node)
cdef Node stand_in(Node node, int kind)
cdef int lie_as(Node made, Node node) except -1
