"""Parallel scans: each thread takes its rows through all rounds of a loop."""
from numpy cimport npy_intp

from lazyarr._core.control.scan_body cimport RowBody

cdef bint may_run(RowBody body, npy_intp rounds) except -1
cdef list run_rounds(RowBody body, npy_intp rounds, npy_intp* ran, bint* fits)
