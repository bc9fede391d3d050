"""Runners of sub-graphs."""
from lazyarr._core.control.scan_body cimport RowBody
from lazyarr._core.control.subgraph cimport Subgraph
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.plan_cache cimport Plan
from lazyarr._core.runtime.status_words cimport StatusWords

cdef class Runner:
    cdef list leaves          # leaves for the parameters
    cdef list dense           # views of leaves, each with the C-ordered leaf in its place
    cdef list outputs
    cdef int ncarry           # number of leaves whose memory a run may overwrite
    cdef int device           # a device with a driver, or 0
    cdef StatusWords words    # status words of its runs there
    cdef Plan plan            # found at the first run
    cdef bint changes_bits, watches_nans    # settings that the plan was made for
    cdef RowBody on_rows      # its body for parallel scans, or None
    cdef Walk w

    cdef int prepare(self) except -1
    cdef bint fits(self) noexcept
    cdef int run(self) except -1
    cdef int report_found(self) except -1
    cdef void clear(self) noexcept
    cdef void release(self) noexcept
    cdef int bind(self, int k, object array) except -1
    cdef int make_dense(self, list fixed) except -1
    cdef int bind_dense(self) except -1

cdef Runner runner_of(Subgraph graph, Runner spare, int ncarry, int nplain, int device=*, StatusWords words=*)
