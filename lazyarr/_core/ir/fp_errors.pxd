"""Floating-point error states, and the source locations of nodes."""
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node

cdef int current_errstate() except -1
cdef npy_intp buffer_size() except -1
cdef object in_errstate(int number, object function, list values)
cdef object raising_flags(int number, object function, list values)
cdef bint runs_operator()
cdef int mark_origin(Node node) except -1
cdef int report_status(list raised) except -1
cdef tuple origin(Node node)
cdef object annotate(object error, str what, Node node)
cdef int reported_flags(int err) except -1
cdef int ever_reported_flags() noexcept
cdef bint may_raise(int err) except -1
cpdef bint raises(int err, int status)
