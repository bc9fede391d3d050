"""History: the operands of evaluated nodes."""
from lazyarr._core.ir.inner_loops cimport Loop
from lazyarr._core.ir.node cimport Node

cdef void forget_history(Node node) noexcept
cdef void make_leaf(Node node) noexcept
cdef int recordings                # running blocks, in all threads, that keep history
cdef void count_recordings(int change) noexcept
cdef bint history_is_kept() noexcept
cdef bint history_is_kept_somewhere() noexcept
cdef int remember(Node node) except -1
cdef Node history_of(Node node)
cdef int connect_nodes(Node made, list inputs, int kind, Loop* loop, object payload) except -1
