"""Evaluation: from roots to values."""
from cpython.object cimport PyObject

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.plan_cache cimport Plan
from lazyarr._core.runtime.status_words cimport StatusWords

cdef list run_steps(Walk* w, Plan plan, StatusWords words=*)
cdef int evaluate_nodes(PyObject** roots, int count, bint fetch=*) except -1
cdef int evaluate_graph(PyObject** roots, int count) except -1
cdef int add_walked(set nodes) except -1
cdef object observer()

# Evaluates graphs that are not entirely on the host (placement.pyx).
cdef int (*evaluate_on_devices)(PyObject** roots, int count, bint fetch) except -1
cdef void set_observer(object function)
