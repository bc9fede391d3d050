"""Bodies of loops whose rounds may run on rows."""
from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.plan_cache cimport Plan

cdef enum:
    MOST_ROUNDS = 256       # at a time

cdef enum Kind:             # of a home
    WITHIN                  # a round
    CARRIED
    COLLECTED               # and behind it, one kind for each result
cdef enum:
    KEPT = -1               # by tapes

cdef class RowBody:
    cdef Walk* w              # of the body
    cdef list steps, aliases
    cdef npy_intp rows
    cdef int ncarry, nys
    cdef list leaves          # the first homes are theirs; those of what is carried, which come first, have rows
    cdef list outputs
    cdef list of_output       # by output: its home, -1 for a constant
    cdef list nodes           # by home: a leaf, or the node that it is the storage of
    cdef list kinds           # by home
    cdef list turns           # by home: at how many places, if it is carried
    cdef int* home_of         # by position in the walk; -1 for what lies at one place in all rounds
    cdef char** at            # where a home is: by home and round
    cdef list copied          # pairs of homes: from the first to the second, at the end of a round
    cdef npy_intp nbytes      # that a round writes
    cdef double work          # of a round, in nanoseconds on one thread
    cdef RowBody test         # whether there is another round; None if their number is known
    cdef int answer           # a home of the test's
    cdef bint apart           # rows may be, as far as is known
    cdef bint unsuited        # as it turned out

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
