"""Which nodes run together."""
from cpython cimport array

from lazyarr._core.described cimport Graph

cdef int base(Graph graph, int i) noexcept
cdef bint hands_over(Graph graph, int i) noexcept
cdef bint overwrites(Graph graph, int i) noexcept
cdef bint reads_storage_of(Graph graph, int i, int storage) noexcept
cdef array.array levels(Graph graph)
cdef array.array groups(Graph graph, array.array level)
