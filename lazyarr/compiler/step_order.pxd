"""The order of steps."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef class Steps:
    cdef int count
    # memory owned by the graph
    cdef int* first         # by step: index of its first member; then the end of the last
    cdef int* members       # the nodes of all steps, in order
    cdef int* step_of       # by node: the first step that computes it, or -1

cdef Steps steps_of(Graph graph, list members)
cdef list members_of(Steps steps, int step)
cdef Steps order(Graph graph, int* stage, int* level, int* group)
