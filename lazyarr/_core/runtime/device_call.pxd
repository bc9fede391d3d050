"""Calls as rows of drivers see them."""
from lazyarr._core.runtime.status_words cimport StatusWords

cdef class Call:
    cdef public str name
    cdef public object function
    cdef public list operands, results, started
    cdef public bint changes
    cdef public int told
    cdef StatusWords words
    cdef list nodes             # (node, name) of those whose flags launches find
