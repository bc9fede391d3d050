"""Running sub-graphs: runners and loops."""
from lazyarr._core.control.scan_body cimport RowBody
from lazyarr._core.control.subgraph cimport Subgraph
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.runtime.plan_cache cimport Plan

cdef class Runner:
    cdef list leaves          # for the parameters
    cdef list dense           # views of leaves, each with the leaf that stands for it
    cdef list outputs
    cdef int ncarry           # leaves whose memory a run may overwrite
    cdef Plan plan            # found at the first run
    cdef bint changes_bits, watches_nans    # for which settings
    cdef RowBody on_rows      # if its rounds run on rows
    cdef Walk w

    cdef int prepare(self) except -1
    cdef bint fits(self) noexcept
    cdef int run(self) except -1
    cdef void clear(self) noexcept
    cdef void release(self) noexcept
    cdef int bind(self, int k, object array) except -1
    cdef int make_dense(self, list fixed) except -1
    cdef int bind_dense(self) except -1

cdef class Loop:
    cdef readonly Subgraph body, test
    cdef readonly int ncarry, nxs, nys
    cdef readonly Py_ssize_t length
    cdef readonly object start
    cdef readonly tuple tapes
    cdef readonly list groups  # of each tape it gives, the body's outputs
    cdef readonly bint reverse
    cdef Runner run_body, run_test

    cdef list _run(self, Runner body, Runner test, tuple arrays)
    cdef bint _may_run_on_rows(self, Runner body, Py_ssize_t rounds) except -1
    cdef Py_ssize_t _run_on_rows(self, Runner body, Py_ssize_t* n, Py_ssize_t done, tuple arrays, list tapes,
                                 list stacks, list kept) except -1
    cdef bint _goes_on(self, Runner body, Runner test) except -1

cdef Runner runner_of(Subgraph graph, Runner spare, int ncarry, int nplain)
