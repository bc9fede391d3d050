"""Graphs that are declared once and evaluated many times."""
from lazyarr.symbolic.jit import jit

__all__ = ["jit"]
