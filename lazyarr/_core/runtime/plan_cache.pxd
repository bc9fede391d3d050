"""Plans: find, make and cache them."""
from libc.stdint cimport uint64_t

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.graph_ir cimport Graph
from lazyarr._core.runtime.arena cimport Layout

cdef class Plan:
    cdef bytes fingerprint
    cdef uint64_t key
    cdef readonly list steps
    cdef list aliases              # (node left out, node computed in its place)
    cdef readonly list rewrites    # names of the rules that were applied
    cdef readonly list timeline    # of the last observed evaluation, see `Foresight`
    cdef double shared_ns          # work worth sharing of its steps, the last time they ran
    cdef Layout layout             # of its values in memory, for the extents it had last
    cdef uint64_t tick
    cdef Py_ssize_t nbytes
    cdef int fused

cdef long long evaluations         # how many there were

cdef Plan find_plan(Walk* w)
cdef Graph describe(Walk* w)
cdef tuple memory_of_values(Walk* w, Plan plan)
cdef void set_schedule(object function)
cdef long long plan_misses() noexcept
