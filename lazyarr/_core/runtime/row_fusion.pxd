"""Running programs of a plan block of rows by block of rows."""
from lazyarr._core.ir.fingerprint cimport Walk

cdef struct ByRows:     # in one run of a plan; zeros to begin with
    int done            # how many steps have just run together
    bint asked, allowed

cdef int rows_together(Walk* w, list steps, int first) except -1
cdef set expected_in_bands(Walk* w, list steps)
cdef list run_by_rows(Walk* w, list steps, int first, list aliases, ByRows* by_rows, list timeline)
