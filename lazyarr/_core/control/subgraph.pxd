"""Sub-graphs: closed graphs that a node runs."""
from libc.stdint cimport uint64_t
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

cdef class Subgraph:
    cdef readonly list params     # placeholders
    cdef readonly list outputs    # nodes

cdef list nodes_below(list roots, dict stops, uint64_t since=*)
cdef dict own_nodes(Subgraph graph)
cdef list substitute(list roots, dict replaced, bint shares=*, int device=*)
