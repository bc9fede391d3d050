"""Steps that run together."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef list group_steps(Graph graph, list steps)
