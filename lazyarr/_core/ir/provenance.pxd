"""The inputs and dependencies of a node."""
from cpython.object cimport PyObject

from lazyarr._core.ir.node cimport Node

cdef int set_inputs(Node node, int count, PyObject** inputs) except -1
cdef void note_source(Node made, Node source) noexcept
cdef bint may_be_made_of(Node made, Node source) noexcept
cdef void inherit_poison(Node made, Node source) noexcept
cdef int device_of_both(int device, int other) except -1
cdef void put_on(Node node, int device) noexcept
cdef int set_input_list(Node node, list inputs) except -1
