"""Plans: from roots to values."""
from cpython.object cimport PyObject

from lazyarr._core.described cimport Graph
from lazyarr._core.walk cimport Walk

cdef int enter() except -1
cdef void leave() noexcept
cdef object find_plan(Walk* w)
cdef tuple steps_of(object plan)
cdef Graph describe(Walk* w)
cdef tuple memory_of_values(Walk* w, object plan)
cdef list run_steps(Walk* w, object plan)
cdef int evaluate_nodes(PyObject** roots, int count) except -1
cdef void set_schedule(object function)
cdef void set_observer(object function)
cdef double flushed_bytes() noexcept
cdef long long plan_misses() noexcept
