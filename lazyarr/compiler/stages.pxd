"""Stages of large graphs."""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr.compiler.step_order cimport Steps

cdef bint is_large(Graph graph) noexcept
cdef double most_at_once(Graph graph, Steps steps) except -1
cdef Steps one_by_one(Graph graph)
cdef int* cut(Graph graph, Steps single, int* group, double budget) except NULL
