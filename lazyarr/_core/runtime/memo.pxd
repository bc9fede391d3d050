"""Results that later evaluations need not compute again."""
from cpython.object cimport PyObject

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef class Recollection:
    cdef list values        # by position in a walk: the `_Value` of each pending node that can be recognised, else None
    cdef list costly        # positions of those whose results are to be kept

cdef bint memo_is_on() noexcept
cdef bint has_kept_memory(Node node) noexcept
cdef Recollection recall(Walk* w, PyObject** roots, int count)
cdef int end_recall(Walk* w, Recollection found, bint succeeded) except -1
cdef void release_results() noexcept
