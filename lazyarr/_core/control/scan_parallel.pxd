"""Rounds of a loop on a team whose threads take some rows through all of them."""
from numpy cimport npy_intp

from lazyarr._core.control.scan_body cimport RowBody

cdef bint may_run(RowBody body, npy_intp rounds) except -1
cdef list run_rounds(RowBody body, npy_intp rounds, npy_intp* ran, bint* fits)
