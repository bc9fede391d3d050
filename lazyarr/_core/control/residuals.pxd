"""Residuals of loops and branches."""
from lazyarr._core.ir.node cimport Node

cdef class Tape:
    cdef readonly Py_ssize_t rounds
    cdef Py_ssize_t room
    cdef int columns
    cdef list owners          # by round and column
    cdef char** data

    cdef int grow(self, Py_ssize_t rounds) except -1
    cdef int write(self, Py_ssize_t t, list nodes, tuple outputs) except -1
    cdef int put(self, Py_ssize_t t, int column, object owner, char* data) except -1

cdef int read_tape(object tape, Py_ssize_t t, int column, Node leaf) except -1
cdef int point_at(Node leaf, object memory) except -1
cdef object wrapped(object tape)
