"""Kernels and the programs behind them."""
from lazyarr._core.described cimport Graph

cdef list join(Graph graph, list steps)
