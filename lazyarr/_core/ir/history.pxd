"""How an evaluated node came about."""
from lazyarr._core.ir.inner_loops cimport Loop
from lazyarr._core.ir.node cimport Node

cdef void forget_history(Node node) noexcept
cdef void settle(Node node) noexcept
cdef int recordings                # blocks, in all threads, in which evaluated nodes remember how they came about
cdef void count_recordings(int change) noexcept
cdef bint history_is_kept() noexcept
cdef bint history_is_kept_somewhere() noexcept
cdef int remember(Node node) except -1
cdef Node how_made(Node node)
cdef int connect_nodes(Node made, list inputs, int kind, Loop* loop, object payload) except -1
