"""Steps with their programs."""
from lazyarr._core.described cimport Graph
from lazyarr.graph.order cimport Steps

cdef list emit(Graph graph, Steps steps)
