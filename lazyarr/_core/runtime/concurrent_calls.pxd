"""Calls at the same time."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.step_group cimport Grouping

cdef int calls_together(Walk* w, list steps, int first) except -1
cdef list run_calls(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline)
