"""Blocks in which evaluation is forbidden."""

from lazyarr._core.ir.node cimport Node

cdef bint evaluation_forbidden() except -1
cdef object refusal(Node node)
