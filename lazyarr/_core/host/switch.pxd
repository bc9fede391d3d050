"""Switches of optimisations, for tests and measurements."""

cdef class Switch:
    cdef bint enabled, always
    cdef long long runs, parts
