"""Programs that can go through an array together, block of rows by block of rows."""
from lazyarr._core.described cimport Graph

cdef list by_rows(Graph graph, list steps)
