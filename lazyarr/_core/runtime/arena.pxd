"""The arena: one block for values that only the steps of an evaluation see."""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef struct Slot:           # memory that values have one after the other, the next one over the one before
    npy_intp nbytes
    npy_intp offset         # -1: not in the arena
    int first, last         # steps, both included
    int head                # the node that is the first to have it
    int holder              # the last

cdef class Layout:
    cdef readonly npy_intp nbytes
    cdef bytearray memory   # of what follows
    cdef int nslots
    cdef Slot* slots
    cdef int* slot_of       # by node, -1 for none
    cdef npy_intp* extents  # of the graph that it was made for
    cdef npy_intp* tops     # by step: where the arena is free from
    cdef int* ends          # by step: the last that may run at the same time
    cdef npy_intp room      # bytes that kernels would use for scratch, what is below them included
    cdef bint used

cdef class Arena:
    cdef Layout layout
    cdef Buffer block

cdef npy_intp pack(Slot* slots, int* order, int count) noexcept nogil
cdef Arena new_arena(Layout layout)
cdef Buffer memory_of(Walk* w, int at)
cdef bint may_move(Walk* w, Node donor, int to) noexcept
cdef int most_together(Walk* w, int first, int count) noexcept
cdef npy_intp top_of(Walk* w, int step, npy_intp otherwise) noexcept
cdef void watch_release(Walk* w, Node node) noexcept
