"""Handles: their nodes, reading and writing, and the budget of what is pending."""
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.node cimport Node

# what a look at a handle must attend to first: bits, of the end of a round, of traced and of sealed blocks
cdef int attention
cdef void link(LazyArray handle) noexcept
cdef void unlink(LazyArray handle) noexcept
cdef int check_budget(Node made) except -1
cdef int evaluate_list(list nodes) except -1
cpdef int prepare() except -1
cdef LazyArray new_handle(Node node, bint scalar)
cdef LazyArray pending_handle(Node node, bint scalar)
cdef int check_writeable(LazyArray handle, str refusal) except -1
cdef Node node_of(LazyArray handle)
cdef Node layout_of(LazyArray handle)
cdef int force(LazyArray handle) except -1
cdef object value_of(LazyArray handle)
cdef object lend(LazyArray handle)
cdef int write(LazyArray handle, Node value, bint fresh) except -1
cdef bint is_from_outside(LazyArray handle) noexcept
cdef bint is_sealed(Node node) except -1
cdef object shape_tuple(Node node)
cdef object dummy(object operand)
