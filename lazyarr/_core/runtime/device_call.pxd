"""Calls as the rows of drivers see them."""
from lazyarr._core.runtime.status_words cimport StatusWords

cdef class Call:
    cdef public str name
    cdef public object function
    cdef public list operands, results, started
    cdef public bint changes
    cdef public int reported_flags
    cdef StatusWords words
    cdef list nodes             # (node, name) of the operations whose flags launches set
