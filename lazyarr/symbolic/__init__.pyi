from lazyarr.stubs.transforms import jit, var
from lazyarr.symbolic.graph import Graph, graph
from lazyarr.symbolic.load import load_graph
from lazyarr.symbolic.symbol import Symbol, variable

__all__ = ["Graph", "Symbol", "graph", "jit", "load_graph", "var", "variable"]
