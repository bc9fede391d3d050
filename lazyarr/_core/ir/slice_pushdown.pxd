"""Slice pushdown: slices moved towards the leaves."""
from cpython.object cimport PyObject
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef int walk_with_slices(Walk* w, PyObject** roots, int count) except -1
cdef bint is_worth_a_copy(Node window, Node node) except -1
cdef void restrict_layout(Node made, Node window) noexcept
