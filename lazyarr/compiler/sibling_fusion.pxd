"""Programs that read the same arrays become one."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef int* join_siblings(Graph graph, int* wave, int* group) except NULL
