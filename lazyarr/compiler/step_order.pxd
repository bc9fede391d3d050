"""The order of steps."""
from cpython cimport array

from lazyarr._core.ir.graph_ir cimport Graph

cdef class Steps:
    cdef int count
    cdef array.array first            # of each step its first member, and where the last one's end
    cdef array.array members          # the nodes of the first step, then those of the next; each step's in order
    cdef array.array step_of          # by node: the step that computes it first, -1 for what is not computed

cdef Steps order(Graph graph, array.array stage, array.array level, array.array group)
