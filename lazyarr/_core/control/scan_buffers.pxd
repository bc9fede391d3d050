"""Buffer assignment for parallel scans."""
from numpy cimport npy_intp

from lazyarr._core.control.residuals cimport Tape
from lazyarr._core.control.scan_body cimport RowBody
from lazyarr._core.host.allocator cimport Buffer

cdef enum:
    MANY_ROUNDS = 8     # are worth preparation

cdef class Call:
    # given by the loop
    cdef RowBody body
    cdef Py_ssize_t length    # -1 if a condition decides
    cdef Py_ssize_t first     # round
    cdef bint reverse
    cdef object start         # of the index; None if there is none
    cdef list walked          # arrays
    cdef list tapes
    cdef tuple columns        # of each tape: which its body takes
    cdef list stacks          # nodes, for results made of slices
    cdef list kept, groups    # tapes, and the outputs that they keep
    cdef bint ended           # by a test
    # memory
    cdef Buffer frame, test_frame
    cdef list own             # by home: what keeps its memory
    cdef list before          # of what is carried: what keeps its memory in the last round so far
    cdef list held            # memory of what tapes gave

    cdef Py_ssize_t run(self) except -1
    cdef int _begin(self) except -1
    cdef int _place_leaves(self, Py_ssize_t first, Py_ssize_t count) except -1
    cdef int _place_results(self, Py_ssize_t first, Py_ssize_t count) except -1
    cdef int _keep(self, Py_ssize_t first, Py_ssize_t count) except -1
    cdef object _owner(self, int home, Py_ssize_t t)
    cdef int _carry_on(self, Py_ssize_t count) except -1
    cdef int _end(self) except -1
    cdef Py_ssize_t _slice(self, Py_ssize_t number) noexcept
