"""Inner loops that belong to no ufunc: casts, copies, choices, searches and cumulative sums."""
from lazyarr._core.ir.loop_table cimport Loop

cdef Loop* cast_loop(int source, int target) except? NULL
cdef Loop* copy_loop(int code) except NULL
cdef Loop* select_loop(int code) except NULL
cdef Loop* compress_loop(int code) except NULL
cdef Loop* expand_loop(int code) except NULL
cdef Loop* search_loop(int code, bint largest) except NULL
cdef Loop* scan_loop(int code, bint product) except? NULL
