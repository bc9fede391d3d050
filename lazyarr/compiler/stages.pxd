"""Stages of large graphs."""
from cpython cimport array

from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr.compiler.step_order cimport Steps

cdef array.array one_stage(Graph graph)
cdef bint is_large(Graph graph) noexcept
cdef double most_at_once(Graph graph, Steps steps) except -1
cdef Steps one_by_one(Graph graph)
cdef array.array cut(Graph graph, Steps single, array.array group, double budget)
