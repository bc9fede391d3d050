"""Shapes as Python tuples."""
from lazyarr._core.ir.node cimport Node

cdef object shape_tuple(Node node)
