"""Liveness of a plan's values, and the offsets of intermediate values in the arena.

A plan says which step makes a value and which is its last reader; extents give its size. Values that may follow each
other in the same memory share a slot: what overwrites a dying operand, and updates of storage. Slots without an
escaping value go into the arena (arena.pyx), the largest first; ties go by first step, then by first node.
"""
from libc.string cimport memset
from numpy cimport npy_intp

from lazyarr._core.ir.fingerprint cimport ESCAPES, Walk, node_flags
from lazyarr._core.ir.node cimport CHANGES, EMPTY, FILLS, FINISHES, UPDATE, VIEW, Node, has_value
from lazyarr._core.ir.step cimport Step
from lazyarr._core.runtime.arena cimport Layout, Slot, pack
from lazyarr._core.runtime.call_step cimport is_not_stored
from lazyarr._core.runtime.concurrent_calls cimport MOST_CALLS, calls_together
from lazyarr._core.runtime.concurrent_steps cimport steps_together
from lazyarr._core.runtime.executor cimport may_take_over
from lazyarr._core.runtime.row_fusion cimport expected_in_bands, rows_together

cdef enum:
    MOST_SLOTS = 4096       # packing time is quadratic in their number

# Smaller values come from the pool, whose blocks of that size are likely to be cached.
cdef npy_intp LEAST_BYTES = 1 << 16

# Factor by which the arena may increase peak memory: late results cannot reuse its free parts, only the pool's.
cdef double MOST_LARGER = 1.1


cdef Layout _NOTHING = Layout.__new__(Layout)


def set_bounds(npy_intp least_bytes, double most_larger):
    """Set the arena's minimum value size and its allowed growth of peak memory; return the old bounds. For tests and
    measurements."""
    global LEAST_BYTES, MOST_LARGER
    before = LEAST_BYTES, MOST_LARGER
    LEAST_BYTES, MOST_LARGER = least_bytes, most_larger
    return before


def offsets(sizes, lifetimes):
    """Return the offsets of slots with these sizes and lifetimes (first and last step, inclusive), and the total size.

    Examples
    --------
    >>> offsets([128, 256, 128], [(0, 1), (1, 2), (2, 3)])
    ([256, 0, 256], 384)
    """
    cdef Layout layout = Layout.__new__(Layout)
    _make_room(layout, 0, len(sizes), 0)
    for k, (first, last) in enumerate(lifetimes):
        layout.slots[k].nbytes, layout.slots[k].first, layout.slots[k].last = sizes[k], first, last
        layout.slots[k].head = k
    layout.nslots = len(sizes)
    total = _pack(layout)
    return [layout.slots[k].offset for k in range(len(sizes))], total


cdef Layout find_layout(Walk* w, list steps, Layout known):
    """Return the layout of a plan's values for the current extents; `known` if it still fits."""
    if not _has_large(w):
        return _NOTHING
    if known is None or known is _NOTHING or not _fits(w, known):
        return _lay_out(w, steps)
    return known


cdef set not_stored(Walk* w, list steps):
    """Return nodes that are never in memory as a whole, due to kernels with epilogues or row fusion."""
    cdef set found = expected_in_bands(w, steps)
    cdef Step step
    for step in steps:
        if step.behind_kernel and is_not_stored(<Node>w.nodes[step.node], step):
            found.add(step.node)
    return found


cdef dict places(Layout layout):
    """Return the offsets in the arena by the first node of each slot."""
    cdef int k
    return {layout.slots[k].head: layout.slots[k].offset
            for k in range(layout.nslots) if layout.slots[k].offset >= 0}


cdef inline bint _is_pending(Node node) noexcept:
    return node.data is NULL and node.kind != VIEW and not has_value(node)


cdef bint _has_large(Walk* w) noexcept:
    """Return whether any value is large enough for the arena."""
    cdef Node node
    cdef unsigned char* flags = node_flags(w)
    cdef int i
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if node.span >= LEAST_BYTES and not flags[i] & ESCAPES and _is_pending(node):
            return True
    return False


cdef bint _fits(Walk* w, Layout layout) noexcept:
    """Return whether a layout fits these extents and the lifetimes of results."""
    cdef Node node
    cdef int i, at = 0
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if _is_pending(node):
            if layout.extents[at] != node.span or layout.extents[at + 1] != node.size:
                return False
            at += 2
    return True


cdef int _make_room(Layout layout, int nodes, int slots, int steps) except -1:
    layout.memory = bytearray(slots * sizeof(Slot) + (2 * nodes + steps) * sizeof(npy_intp)
                              + (nodes + steps) * sizeof(int))
    layout.slots = <Slot*><char*>layout.memory
    layout.extents = <npy_intp*>(layout.slots + slots)
    layout.tops = layout.extents + 2 * nodes
    layout.slot_of = <int*>(layout.tops + steps)
    layout.ends = layout.slot_of + nodes
    memset(layout.slot_of, 0xff, nodes * sizeof(int))
    return 0


cdef Layout _lay_out(Walk* w, list steps):
    """Return the slots of a plan and their offsets."""
    cdef Layout layout = Layout.__new__(Layout)
    cdef Step step
    cdef Slot* slot
    cdef Node node
    cdef set unstored = not_stored(w, steps)
    cdef int s, i, k, first = 0, last = -1, count = len(steps), at = 0
    cdef double costs[MOST_CALLS]
    _make_room(layout, w.count, w.count, count)
    for i in range(w.count):
        node = <Node>w.nodes[i]
        if _is_pending(node):
            layout.extents[at], layout.extents[at + 1] = node.span, node.size
            at += 2
    for s in range(count):
        step = <Step>steps[s]
        if s > last:
            first, last = s, s - 1 + (calls_together(w, steps, s, costs) if step.kind == "opaque" else max(
                steps_together(w, steps, s), rows_together(w, steps, s)))
        layout.ends[s] = last
        if step.kind != "tile" and step.node not in unstored:
            _place_call(layout, w, step, first, count)
        if step.program is not None:
            for k in range(step.program.nstore):
                if step.program.store_node[k] not in unstored:
                    _place_store(layout, w, step, k, first, count)
            for k in range(step.program.nfold):
                _place(layout, w, step.program.fold_calls[k].node, -1, first, count)
        for k in range(step.nfrees):
            i = layout.slot_of[<int>step.frees[k]]
            slot = &layout.slots[i]
            if i >= 0 and slot.holder == <int>step.frees[k]:
                slot.last = last
    layout.nbytes = _pack(layout)
    if _most_at_once(layout, count, True) > MOST_LARGER * _most_at_once(layout, count, False):
        layout.nbytes = 0
    if layout.nbytes == 0:
        for k in range(layout.nslots):
            layout.slots[k].offset = -1
    _find_tops(layout)
    return layout


cdef int _place(Layout layout, Walk* w, int i, int source, int first, int end) noexcept:
    """Put a node into the slot of `source`, or a new one."""
    cdef Slot* slot
    cdef int number = layout.slot_of[source] if source >= 0 else layout.nslots
    if number < 0 or layout.slot_of[i] >= 0:
        return 0
    slot = &layout.slots[number]
    if number == layout.nslots:
        layout.nslots += 1
        slot.nbytes, slot.first, slot.head = (<Node>w.nodes[i]).span, first, i
        slot.offset = 0 if slot.nbytes >= LEAST_BYTES else -1
    if node_flags(w)[i] & ESCAPES:
        slot.offset = -1
    layout.slot_of[i] = number
    slot.holder, slot.last = i, end - 1
    return 0


cdef int _place_call(Layout layout, Walk* w, Step step, int first, int end) noexcept:
    """Place the result of a call: kernels fill the arena, functions allocate themselves."""
    cdef Node node = <Node>w.nodes[step.node]
    cdef bint changes = node.kind != EMPTY and node.attr == CHANGES
    if changes and step.in_place:
        _place(layout, w, step.node, (<Node>node.inputs[0]).index, first, end)
        return 0
    _place(layout, w, step.node, -1, first, end)
    if node.typenum < 0 or not (node.kind == EMPTY or changes or FILLS <= node.attr <= FINISHES):
        layout.slots[layout.slot_of[step.node]].offset = -1
    return 0


cdef int _place_store(Layout layout, Walk* w, Step step, int store, int first, int end) noexcept:
    """Place a stored value: over the storage it updates, over a dying operand, or in a new slot."""
    cdef int i = step.program.store_node[store], source = -1
    cdef Node node = <Node>w.nodes[i]
    if node.kind == UPDATE and i in step.in_place:
        source = (<Node>node.inputs[0]).index
    elif node.kind != UPDATE:
        for k, donor in step.donors:
            if <int>k == store and may_take_over(w, step, node, <Node>w.nodes[<int>donor]):
                source = donor
    _place(layout, w, i, source, first, end)
    return 0


cdef npy_intp _pack(Layout layout) except -1:
    """Assign offsets to the largest slots that may lie in the arena; return the total size."""
    cdef Slot* slots = layout.slots
    cdef int* order
    cdef int k, count
    cdef npy_intp total
    ranked = sorted([(-slots[k].nbytes, slots[k].first, slots[k].head, k)
                     for k in range(layout.nslots) if slots[k].offset >= 0])
    for *_, k in ranked[MOST_SLOTS:]:
        slots[k].offset = -1
    count = min(<int>len(ranked), <int>MOST_SLOTS)
    memory = bytearray(count * sizeof(int) + 1)
    order = <int*><char*>memory
    for k in range(count):
        order[k] = ranked[k][3]
    with nogil:
        total = pack(slots, order, count)
    return total


cdef int _find_tops(Layout layout) noexcept:
    """Compute the top of the arena for each step."""
    cdef Slot* slot
    cdef int k, s
    for k in range(layout.nslots):
        slot = &layout.slots[k]
        if slot.offset >= 0:
            for s in range(slot.first, slot.last + 1):
                layout.tops[s] = max(layout.tops[s], slot.offset + slot.nbytes)
    return 0


cdef double _most_at_once(Layout layout, int steps, bint arena) except -1:
    """Return the peak memory with the arena allocated from the first step to the last, or without arena."""
    cdef double now = 0, most = 0
    cdef int k, s
    cdef double* change
    memory = bytearray((steps + 1) * sizeof(double))
    change = <double*><char*>memory
    for k in range(layout.nslots):
        if not arena or layout.slots[k].offset < 0:
            change[layout.slots[k].first] += layout.slots[k].nbytes
            change[layout.slots[k].last + 1] -= layout.slots[k].nbytes
    for s in range(steps):
        now += change[s]
        most = max(most, now)
    return most + (layout.nbytes if arena else 0)
