"""Pending operations below an array."""
from lazyarr._core.ir.node cimport Node

cdef str operation(Node node)
