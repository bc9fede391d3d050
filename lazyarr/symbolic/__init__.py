"""Graphs that are declared once and evaluated many times."""
from lazyarr.symbolic.graph import Graph, graph
from lazyarr.symbolic.load import load_graph
from lazyarr.symbolic.symbol import Symbol, variable
from lazyarr.symbolic.var import var
from lazyarr.tracing.jit import jit

__all__ = ["Graph", "Symbol", "graph", "jit", "load_graph", "var", "variable"]
