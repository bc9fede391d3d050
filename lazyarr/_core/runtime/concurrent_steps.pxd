"""Concurrent tile programs of a plan."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.step_group cimport Grouping

cdef int steps_together(Walk* w, list steps, int first) except -1
cdef list run_concurrent(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline)
