"""Steps of a plan: common parts, and tile programs."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram

cdef list run_tile(Walk* w, Step step, list aliases)
cdef str label_of(Walk* w, Step step)
cdef bint may_take_over(Walk* w, Step step, Node node, Node donor) noexcept
cdef double expected_work(Walk* w, TileProgram p) noexcept
cdef void free_read(Walk* w, Step step) noexcept

# the parts of `run_tile`
cdef int place_results(Walk* w, Step step, list placed, bint* overwrites) except -1
cdef int take_back(Walk* w, TileProgram p, list placed) except -1
cdef list end_program(Walk* w, Step step, list placed, bint overwrites, list aliases)
cdef int publish_results(Walk* w, TileProgram p, list raised, bint overwrites) except -1

# common to all steps
cdef int allocate(Walk* w, int at) except -1
cdef int publish(Walk* w, int at) except -1
cdef list collect_status(Walk* w, Step step, list aliases)
cdef str name_of(Node node)
cdef bint must_raise(list raised) except -1
cdef bint take_over(Walk* w, Step step, int store, list moved) except -1
cdef void forget(Node node) noexcept
cdef int run_empty(Walk* w, Step step) except -1
