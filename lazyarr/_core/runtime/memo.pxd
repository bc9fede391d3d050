"""The memo: results kept for later evaluations."""
from cpython.object cimport PyObject

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef class Recollection:
    cdef list values        # by position: the `_Value` of each recognised pending node, else None
    cdef list costly        # positions of nodes whose results are to be kept

cdef bint memo_is_on() noexcept
cdef bint has_kept_memory(Node node) noexcept
cdef Recollection recall(Walk* w, PyObject** roots, int count)
cdef int end_recall(Walk* w, Recollection found, bint succeeded) except -1
cdef void release_results() noexcept
