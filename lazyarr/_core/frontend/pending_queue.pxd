from cpython.object cimport PyObject

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

ctypedef int (*Settle)(LazyArray handle) except -1

cdef enum:                     # what an access to a handle must attend to first, as bits
    ROUND_IS_OVER = 1
    TRACING = 2
    SEALED = 4
    WAITING = 8                # everything joins the graph, however small

cdef int attention
cdef bint is_prepared          # whether the layers above have registered what arrays need
cdef Settle settle_selection   # makes an ordinary array of one that has a mask (boolean_select.pyx)

cdef void link(LazyArray handle) noexcept
cdef void unlink(LazyArray handle) noexcept
cdef int watch_retained(PyObject* newest) except -1
cdef int check_budget(Node made) except -1
cdef int check_round(Node made) except -1
cdef int flush() except -1
cdef int evaluate_list(list nodes, bint fetch=*) except -1
cpdef int prepare() except -1
cdef LazyArray pending_handle(Node node, bint scalar)
