"""Concurrent calls."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.runtime.step_group cimport Grouping

cdef enum:
    MOST_CALLS = 32     # run concurrently

cdef double call_ns(Node node) except -2
cdef int calls_together(Walk* w, list steps, int first, double* costs) except -1
cdef int wait_for_calls() except -1
cdef list run_calls(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline)
