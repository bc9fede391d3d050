"""Eviction of values from device memory."""

cdef int begin_use(list roots) except -1
cdef int end_use(list roots) except -1
