"""Blocks in which nothing may be evaluated."""

cdef bint evaluation_forbidden() except -1
