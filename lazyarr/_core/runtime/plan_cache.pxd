"""The plan cache."""
from libc.stdint cimport uint64_t

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr._core.runtime.arena cimport Layout

cdef class Plan:
    cdef bytes fingerprint
    cdef uint64_t key
    cdef readonly list steps
    cdef list aliases              # (eliminated node, equal node computed instead)
    cdef readonly list rewrites    # names of the applied rewrite rules
    cdef readonly list timeline    # of the last observed evaluation, see `Foresight`
    cdef double shared_ns          # parallelisable work of its steps in the last run
    cdef Layout layout             # memory layout for the extents of the last run
    cdef uint64_t tick
    cdef Py_ssize_t nbytes
    cdef int fused

cdef long long evaluations         # number of evaluations

cdef Plan find_plan(Walk* w)
cdef Graph describe(Walk* w)
cdef tuple memory_of_values(Walk* w, Plan plan)
cdef void set_schedule(object function)
cdef long long plan_misses() noexcept
