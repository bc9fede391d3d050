"""Row fusion: consecutive programs run block of rows by block of rows."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.step_group cimport Grouping

cdef int rows_together(Walk* w, list steps, int first) except -1
cdef set expected_in_bands(Walk* w, list steps)
cdef list run_by_rows(Walk* w, list steps, int first, list aliases, Grouping* grouping, list timeline)
