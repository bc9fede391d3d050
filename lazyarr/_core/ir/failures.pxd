"""Failed nodes: their dependants fail with the same error, without running."""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef class Failure:
    cdef str operation
    cdef uint64_t serial   # of the node whose operation raised it
    cdef object error
    cdef object again(self)

cdef object remember_failure(Node node, object error, str operation)
cdef int fail_node(Node node, object error, str operation) except -1
cdef int spread_failures(Walk* w) except -1
cdef list without_failed(PyObject** roots, int count)
cdef object oldest_failure(PyObject** roots, int count)
cdef int give_up(Node node) except -1
cdef int exclude_from_flushes(Node root) except -1
