"""Candidates for row fusion."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef list by_rows(Graph graph, list steps)
