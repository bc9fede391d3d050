"""Values that are computed again where they are read."""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr.compiler.step_order cimport Steps

cdef Steps recompute(Graph graph, Steps steps)
