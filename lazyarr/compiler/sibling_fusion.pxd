"""Programs that read the same arrays become one."""
from cpython cimport array

from lazyarr._core.ir.graph_ir cimport Graph

cdef array.array join_siblings(Graph graph, array.array level, array.array group)
