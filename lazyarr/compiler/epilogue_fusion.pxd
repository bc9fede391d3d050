"""Kernels and the programs behind them."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef list join(Graph graph, list steps)
