"""Cotangents of what is reduced."""
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef bint gives_to_all_parts(Loop* loop) noexcept
cdef Node reduce_cotangent(Node g, Node node, Node past)
