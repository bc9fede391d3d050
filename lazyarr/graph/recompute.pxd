"""Values that are computed again where they are read."""
from lazyarr._core.described cimport Graph
from lazyarr.graph.order cimport Steps

cdef Steps recompute(Graph graph, Steps steps)
