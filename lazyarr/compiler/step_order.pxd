"""The order of steps."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef class Steps:
    cdef int count
    # in the graph's memory
    cdef int* first         # of each step its first member, and where the last one's end
    cdef int* members       # the nodes of the first step, then those of the next; each step's in order
    cdef int* step_of       # by node: the step that computes it first, -1 for what is not computed

cdef Steps steps_of(Graph graph, list members)
cdef list members_of(Steps steps, int step)
cdef Steps order(Graph graph, int* stage, int* level, int* group)
