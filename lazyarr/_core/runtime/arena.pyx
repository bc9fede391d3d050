# cython: cdivision=True
# (offsets are never negative)
"""The arena: one block for values that only the steps of an evaluation see.

    offset  |        [ c        ]
            |  [ a, then b over a ]  [ e ]      a slot: memory, from its first step to its last
            |  [ d ]  [ f               ]       slots that meet in no step may share bytes, in part or as a whole
            +-----------------------------> steps

How the slots of a plan lie depends on extents: a `Layout` (memory_plan.pyx) is made for those at hand and kept with the
plan. Results are not among them: a result keeps its own memory alive, and nothing else of the evaluation's.

A value in the arena has a `Buffer` of its own, a part of the block: its memory moves and dies as any other does.
If something still holds it when its slot ends, as an opaque call that has kept an operand does, the arena gives no more
memory, and the rest of the evaluation takes its own.
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
    long long arenas, parts   # used so far

cdef ArenaCounts _counts = ArenaCounts(0, 0)


def counts():
    """How many evaluations had an arena so far, and how many values lay there."""
    return _counts.arenas, _counts.parts


@cython.final
cdef class Layout:
    """Offsets of a plan's values in the arena, for one set of extents; immutable but for `room` and `used`."""


@cython.final
cdef class Arena:
    """The memory of one evaluation."""


cdef npy_intp pack(Slot* slots, int* order, int count) noexcept nogil:
    """Give slots their offsets, in this order; the bytes that they take together.

    Each goes to the lowest place that is free in all of its steps. `order` has them by offset in the end.
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
    """Memory for a layout; None if there are no slots, or not enough memory for all of them at once."""
    cdef Arena arena
    if layout.nbytes == 0:
        return None
    arena = Arena.__new__(Arena)
    if not layout.used:  # blocks of single values will not be asked for again
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
    """Memory for a node's value: its place in the arena, or a block of its own."""
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
    """Whether a node may have the memory of another one: not if that lies in the arena for a shorter time."""
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
    """How many of `count` steps, from the first on, may run at the same time, as values lie in memory."""
    return count if w.arena is NULL else min(count, (<Arena>w.arena).layout.ends[first] + 1 - first)


cdef npy_intp top_of(Walk* w, int step, npy_intp otherwise) noexcept:
    """The offset from which the arena is free in a step; `otherwise` if there is no arena."""
    return otherwise if w.arena is NULL else (<Arena>w.arena).layout.tops[step]


cdef void watch_release(Walk* w, Node node) noexcept:
    """Close the arena if a value that has served its time there will stay."""
    if w.arena is not NULL and type(node.owner) is Buffer and (<Buffer>node.owner).whole is not None \
            and Py_REFCNT(<PyObject*>node.owner) > 1:
        w.arena = NULL
        end_loan()
