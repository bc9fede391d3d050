"""Bodies of loops whose rounds may run on rows."""
from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef enum:
    MOST_ROUNDS = 256       # at a time

cdef class RowBody:
    cdef Walk* w              # of the body
    cdef list steps, aliases
    cdef npy_intp rows
    cdef int inherited        # the first homes are those of leaves; the number of these that are in rows
    cdef list nodes           # by home: a leaf, or the node that it is the storage of
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
    cdef bint is_number(self, int home) noexcept
    cdef int copy(self, int home) except -1
    cdef int take_table(self) except -1
    cdef char** places(self, int home) noexcept
    cdef int ask(self, RowBody test, int answer) except -1
    cdef int point_at_homes(self) except -1

cdef RowBody find_row_body(Walk* w, list steps, list aliases, list leaves, int inherited, npy_intp rows)
