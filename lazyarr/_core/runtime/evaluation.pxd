"""Evaluation: from roots to values."""
from cpython.object cimport PyObject

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.plan_cache cimport Plan

cdef list run_steps(Walk* w, Plan plan)
cdef int evaluate_nodes(PyObject** roots, int count) except -1
cdef void set_observer(object function)
