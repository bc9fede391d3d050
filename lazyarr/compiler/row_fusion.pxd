"""Programs that can go through an array together, block of rows by block of rows."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef list by_rows(Graph graph, list steps)
