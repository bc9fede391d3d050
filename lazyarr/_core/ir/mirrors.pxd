"""Copies of host values in device memory."""
from lazyarr._core.host.device_values cimport Mirror
from lazyarr._core.ir.node cimport Node

cdef object own_memory(Node leaf)
cdef void drop_mirror(Node leaf) noexcept
cdef Node copy_on(Node source, int device)
cdef Mirror mirror_for(Node source)
