"""Bodies of parallel scans."""
from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.plan_cache cimport Plan

cdef enum:
    MOST_ROUNDS = 256       # per run

cdef enum Kind:             # kinds of homes
    WITHIN                  # needed within a round
    CARRIED
    COLLECTED               # this and the following numbers: one per result
cdef enum:
    KEPT = -1               # by tapes

cdef class RowBody:
    cdef Walk* w              # walk of the body
    cdef list steps, aliases
    cdef npy_intp rows
    cdef int ncarry, nys
    cdef list leaves          # leaves with homes, which come first; carried ones first of all, with rows
    cdef list outputs
    cdef list of_output       # by output: its home, -1 for a constant
    cdef list nodes           # by home: a leaf, or the node whose storage it is
    cdef list kinds           # by home
    cdef list turns           # by home: number of alternating addresses, if carried
    cdef int* home_of         # by position in the walk; -1 for values with one address in all rounds
    cdef char** at            # addresses by home and round
    cdef list copied          # pairs of homes: copied from the first to the second at the end of a round
    cdef npy_intp nbytes      # bytes written per round
    cdef double work          # work of a round in ns on one thread
    cdef RowBody test         # the loop condition; None if the number of rounds is known
    cdef int answer           # the home of the condition's result
    cdef bint apart           # whether rows seem independent
    cdef bint unsuited        # whether rows have turned out not to be independent

    cdef int home(self, Node node) noexcept
    cdef int home_of_output(self, Node node) except -2
    cdef bint is_number(self, int home) noexcept
    cdef bint find_kind(self, int k) except -1
    cdef int origin(self, int home, bint turns) except -2
    cdef int take_table(self) except -1
    cdef char** places(self, int home) noexcept
    cdef bint set_condition(self, Walk* w, Plan plan, list leaves, Node answer) except -1
    cdef int point_at_homes(self) except -1

cdef bint multiplies(Step step) noexcept
cdef RowBody find_scan_body(Walk* w, Plan plan, list leaves, list outputs, int ncarry, int nys)
