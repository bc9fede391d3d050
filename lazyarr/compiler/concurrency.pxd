"""Programs that can run side by side."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef list beside_each_other(Graph graph, list steps)
