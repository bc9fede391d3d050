"""The arena: one block of memory for the intermediate values of an evaluation."""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef struct Slot:           # memory that values use one after another, each overwriting the one before
    npy_intp nbytes
    npy_intp offset         # -1: not in the arena
    int first, last         # first and last step, inclusive
    int head                # the first node in it
    int holder              # the last node in it

cdef class Layout:
    cdef readonly npy_intp nbytes
    cdef bytearray memory   # owns the following arrays
    cdef int nslots
    cdef Slot* slots
    cdef int* slot_of       # by node: its slot, -1 for none
    cdef npy_intp* extents  # extents of the graph it was made for
    cdef npy_intp* tops     # by step: the offset above which the arena is free
    cdef int* ends          # by step: the last one that may run at the same time
    cdef npy_intp room      # arena size including the workspace of kernels
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
