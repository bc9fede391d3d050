"""Steps with their programs."""
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr.compiler.step_order cimport Steps

cdef list emit(Graph graph, Steps steps)
