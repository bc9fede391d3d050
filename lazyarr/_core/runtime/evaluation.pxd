"""Evaluation: from roots to values."""
from cpython.object cimport PyObject

from lazyarr._core.ir.fingerprint cimport Walk

cdef list run_steps(Walk* w, object plan)
cdef int evaluate_nodes(PyObject** roots, int count) except -1
cdef void set_observer(object function)
cdef double flushed_bytes() noexcept
