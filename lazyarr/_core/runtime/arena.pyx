# cython: cdivision=True
# (offsets are never negative)
"""The arena: one block of memory for the intermediate values of an evaluation.

    offset  |        [ c        ]
            |  [ a, then b over a ]  [ e ]      a slot: memory, from its first step to its last
            |  [ d ]  [ f               ]       slots without a common step may share bytes
            +-----------------------------> steps

The offsets of a plan's slots depend on extents: a `Layout` (memory_plan.pyx) is made for the current extents and kept
with the plan. Results are not in the arena, so that a result keeps only its own memory alive.

Each value in the arena has a `Buffer` of its own, a part of the block. If something still refers to it when its slot
ends, e.g. an opaque call that kept an operand, the arena is closed, and the rest of the evaluation allocates from the
pool.
"""
from cpython.object cimport PyObject
from numpy cimport npy_intp

cimport cython

from lazyarr._core.host.allocator cimport Buffer, give_way, guard, new_buffer, part_of
from lazyarr._core.host.workspace cimport end_loan
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport Node

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef enum:
    ALIGNED = 64

cdef struct ArenaCounts:
    long long arenas, parts   # counted so far

cdef ArenaCounts _counts = ArenaCounts(0, 0)


def counts():
    """Return how many evaluations had an arena, and how many values were in one."""
    return _counts.arenas, _counts.parts


@cython.final
cdef class Layout:
    """Arena offsets of a plan's values for one set of extents; immutable but for `room` and `used`."""


@cython.final
cdef class Arena:
    """The intermediate memory of one evaluation."""


cdef npy_intp pack(Slot* slots, int* order, int count) noexcept nogil:
    """Assign offsets to slots in this order; return the total size.

    Each slot goes to the lowest offset that is free in all of its steps. `order` is sorted by offset in the end.
    """
    cdef Slot* slot
    cdef Slot* other
    cdef npy_intp total = 0
    cdef int k, j, at, number
    for k in range(count):
        number = order[k]
        slot = &slots[number]
        slot.offset, at = 0, 0
        for j in range(k):
            other = &slots[order[j]]
            if other.last >= slot.first and other.first <= slot.last:
                if other.offset - slot.offset >= slot.nbytes:
                    break
                slot.offset = max(slot.offset, _aligned(other.offset + other.nbytes))
        total = max(total, slot.offset + slot.nbytes)
        at = k
        while at and slots[order[at - 1]].offset > slot.offset:
            order[at] = order[at - 1]
            at -= 1
        order[at] = number
    return total


cdef inline npy_intp _aligned(npy_intp nbytes) noexcept nogil:
    return (nbytes + ALIGNED - 1) // ALIGNED * ALIGNED


cdef Arena new_arena(Layout layout):
    """Return an arena for a layout; None if it has no slots or there is not enough memory."""
    cdef Arena arena
    if layout.nbytes == 0:
        return None
    arena = Arena.__new__(Arena)
    if not layout.used:  # single blocks will not be asked for again
        give_way(layout.nbytes)
        layout.used = True
    try:
        arena.block = new_buffer(max(layout.nbytes, layout.room))
    except MemoryError:
        return None
    guard(arena.block)
    arena.layout = layout
    _counts.arenas += 1
    return arena


cdef Buffer memory_of(Walk* w, int at):
    """Return memory for a node's value: its place in the arena, or a block from the pool."""
    cdef Arena arena
    cdef Slot* slot
    cdef int number
    if w.arena is not NULL:
        arena = <Arena>w.arena
        number = arena.layout.slot_of[at]
        slot = &arena.layout.slots[number]
        if number >= 0 and slot.offset >= 0 and slot.head == at:
            _counts.parts += 1
            return part_of(arena.block, slot.offset, slot.nbytes)
    return new_buffer((<Node>w.nodes[at]).span)


cdef bint may_move(Walk* w, Node donor, int to) noexcept:
    """Return whether a node may take over another one's memory, i.e. that is not in the arena for a shorter time."""
    cdef Arena arena
    cdef int number
    if w.arena is NULL or type(donor.owner) is not Buffer:
        return True
    arena = <Arena>w.arena
    if (<Buffer>donor.owner).whole is not arena.block:
        return True
    number = arena.layout.slot_of[to]
    return number >= 0 and (<Buffer>donor.owner).data == arena.block.data + arena.layout.slots[number].offset


cdef int most_together(Walk* w, int first, int count) noexcept:
    """Return how many of `count` steps from `first` on may run concurrently with this memory layout."""
    return count if w.arena is NULL else min(count, (<Arena>w.arena).layout.ends[first] + 1 - first)


cdef npy_intp top_of(Walk* w, int step, npy_intp otherwise) noexcept:
    """Return the offset above which the arena is free in a step; `otherwise` if there is no arena."""
    return otherwise if w.arena is NULL else (<Arena>w.arena).layout.tops[step]


cdef void watch_release(Walk* w, Node node) noexcept:
    """Close the arena if a value outlives its slot."""
    if w.arena is not NULL and type(node.owner) is Buffer and (<Buffer>node.owner).whole is not None \
            and Py_REFCNT(<PyObject*>node.owner) > 1:
        w.arena = NULL
        end_loan()
