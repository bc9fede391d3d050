"""Fusion of nodes into tile programs."""
from lazyarr._core.ir.graph_ir cimport Graph

cdef enum:
    MAX_GROUP = 96  # nodes of a program: enough to amortise its loads, few enough for its registers to stay in cache

cdef int base(Graph graph, int i) noexcept
cdef bint hands_over(Graph graph, int i) noexcept
cdef bint overwrites(Graph graph, int i) noexcept
cdef bint reads_storage_of(Graph graph, int i, int storage) noexcept
cdef bint fuses(Graph graph, int producer, int consumer) noexcept
cdef int* levels(Graph graph, int* stage) except NULL
cdef int* first_waves(Graph graph, int* stage) except NULL
cdef int* groups(Graph graph, int* wave) except NULL
