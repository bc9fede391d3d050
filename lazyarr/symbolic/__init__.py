"""Graphs that are declared once and evaluated many times.

    symbol             variables, and what is computed from them
    var                `lazyarr.var`
    program            recorded calls, run on arrays
    recorder           records calls on symbols
    graph              `lazyarr.graph`; `incremental` re-evaluates what depends on changed operands
    save, load         graphs in files; `archive` the checked container, `function_registry` the callable names

Recording. A symbol is not a handle. NumPy's protocols and `ops/deferred_dispatch.py` turn each operation on one into a
recorded call of a public function, and trace it on placeholders (`lazyarr.tracing.capture`), with a hint in place of
unknown extents. So errors are raised where they are written, and the rank and dtype of results are known. Only when a
shape is read, the program below is traced for other extents, too: those that differ are unknown. A graph is the list
of calls that its outputs depend on, writes included, in program order. It is traced once per signature of its inputs,
by making the calls. Loops, branches and derivatives are calls, too; their functions get arrays and may use no other
symbols.

Incremental evaluation. `Graph.evaluate` compares its operands with the last ones by node: nodes are immutable, so equal
nodes are equal values. Values that depend on unchanged operands alone are kept.

Files. A file holds the list of calls by name, and arrays. Loading runs nothing: names are looked up in
`function_registry`, references, ZIP structure, JSON and arrays are checked first, and allocations stay within a
multiple of the file's size.
"""
from lazyarr.symbolic.graph import Graph, graph
from lazyarr.symbolic.load import load_graph
from lazyarr.symbolic.symbol import Symbol, variable
from lazyarr.symbolic.var import var
from lazyarr.tracing.jit import jit

__all__ = ["Graph", "Symbol", "graph", "jit", "load_graph", "var", "variable"]
