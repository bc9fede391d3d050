"""What waits below an array."""
from lazyarr._core.node cimport Node

cdef str operation(Node node)
