"""Buffer assignment for parallel scans."""
from numpy cimport npy_intp

from lazyarr._core.control.residuals cimport Tape
from lazyarr._core.control.scan_body cimport RowBody
from lazyarr._core.host.allocator cimport Buffer

cdef enum:
    MANY_ROUNDS = 8     # number of rounds worth the preparation

cdef class Call:
    # set by the loop
    cdef RowBody body
    cdef Py_ssize_t length    # -1: a condition decides
    cdef Py_ssize_t first     # first round
    cdef bint reverse
    cdef object start         # initial index; None: no index
    cdef list walked          # arrays to scan
    cdef list tapes
    cdef tuple columns        # by tape: the columns that the body takes
    cdef list stacks          # nodes of results made of slices
    cdef list kept, groups    # resulting tapes, and the outputs that they keep
    cdef bint ended           # whether the condition has ended the loop
    # memory
    cdef Buffer frame, test_frame
    cdef list own             # by home: owner of its memory
    cdef list before          # by carry: owner of its memory in the last round so far
    cdef list held            # owners of values read from tapes

    cdef Py_ssize_t run(self) except -1
    cdef int _begin(self) except -1
    cdef int _place_leaves(self, Py_ssize_t first, Py_ssize_t count) except -1
    cdef int _place_results(self, Py_ssize_t first, Py_ssize_t count) except -1
    cdef int _keep(self, Py_ssize_t first, Py_ssize_t count) except -1
    cdef object _owner(self, int home, Py_ssize_t t)
    cdef int _carry_on(self, Py_ssize_t count) except -1
    cdef int _end(self) except -1
    cdef Py_ssize_t _slice(self, Py_ssize_t number) noexcept
