from cpython.object cimport PyObject

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

ctypedef int (*Resolve)(LazyArray handle) except -1

cdef enum:                     # conditions to check on each access to a handle, as bits
    ROUND_IS_OVER = 1
    TRACING = 2
    SEALED = 4
    WAITING = 8                # all operations join the graph, however small

cdef int attention
cdef bint is_prepared          # whether the layers above have registered what arrays need
cdef Resolve resolve_selection   # turns a selection into an ordinary array

cdef void link(LazyArray handle) noexcept
cdef void unlink(LazyArray handle) noexcept
cdef int watch_retained(PyObject* newest) except -1
cdef int check_budget(Node made) except -1
cdef int check_round(Node made) except -1
cdef int flush() except -1
cdef int end_round() except -1
cdef int evaluate_list(list nodes, bint fetch=*) except -1
cpdef int prepare() except -1
cdef LazyArray pending_handle(Node node, bint scalar)
