"""Graphs that are declared once and evaluated many times."""
from lazyarr.symbolic.graph import Graph, graph
from lazyarr.symbolic.jit import jit
from lazyarr.symbolic.reading import load_graph
from lazyarr.symbolic.symbols import Symbol, variable
from lazyarr.symbolic.var import var

__all__ = ["Graph", "Symbol", "graph", "jit", "load_graph", "var", "variable"]
