"""Stages: parts of a graph that run one after the other, where running all of it together would take more memory.

Waves let run together what can, all rounds of a loop at once, say: first each round's first operation, then each
round's second one, and all their values are there in between. NumPy runs one operation after the other. The order in
which nodes were made is such an order, that in which they were walked is another, depth-first: so it is known how
much is live after each, and a graph of large arrays is cut where that is little, as it is behind each round:

    live     /\\    /\\    /\\
            /  \\__/  \\__/  \\__        a stage ends in a valley, once it has stored enough
    stages  111111222222333333

What is live at a cut is stored there, which NumPy does as well; within a stage all is fused. No cut separates a
fold from what it ends, since its rounding depends on that; what overwrites an array from those that read what was there
before; calls from their several results; selections from their readers; kernels from the program behind them.
"""
from cpython cimport array
from libc.stdint cimport uint64_t
from libc.string cimport memset

from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph, large_bytes
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, SELECTION, among
from lazyarr._core.ir.node cimport MAP, OPAQUE, REDUCE, RESULT, VIEW
from lazyarr.compiler.fusion cimport base, fuses, hands_over, overwrites
from lazyarr.compiler.step_order cimport Steps

import array

cdef array.array _ints = array.array("i")
cdef array.array _doubles = array.array("d")
cdef array.array _numbers = array.array("Q")


cdef array.array one_stage(Graph graph):
    """The stage of each node where there is but one."""
    return array.clone(_ints, graph.count, True)


cdef bint is_large(Graph graph) noexcept:
    """Whether the values of a graph take so much that it matters what is there at once."""
    cdef double total = 0
    cdef int i
    for i in range(graph.count):
        if not among(graph.nodes[i].kind, GIVEN | 1 << VIEW):
            total += graph.nodes[i].nbytes
    return total >= large_bytes()


cdef Steps one_by_one(Graph graph):
    """Each node a step of its own, in the order in which they were made or in that of the walk: which takes less."""
    cdef array.array serials = array.clone(_numbers, graph.count, False)
    cdef uint64_t* serial = <uint64_t*>serials.data.as_voidptr
    cdef Steps made, walked = _single(graph, range(graph.count))
    cdef Described* node
    cdef int i, k
    for i in range(graph.count):
        node = &graph.nodes[i]
        serial[i] = node.serial
        for k in range(node.ninputs):    # rewritten nodes may read what was made behind them
            serial[i] = max(serial[i], serial[graph.inputs[node.first_input + k]])
    made = _single(graph, sorted(range(graph.count), key=serials.__getitem__))
    return made if most_at_once(graph, made) <= most_at_once(graph, walked) else walked


cdef Steps _single(Graph graph, nodes):
    """Steps of one node each."""
    cdef Steps steps = Steps.__new__(Steps)
    cdef int i
    steps.count = graph.count
    steps.first = array.array("i", range(graph.count + 1))
    steps.members = array.array("i", nodes)
    steps.step_of = array.clone(_ints, graph.count, False)
    for i in range(graph.count):
        steps.step_of.data.as_ints[steps.members.data.as_ints[i]] = i
    return steps


cdef double most_at_once(Graph graph, Steps steps) except -1:
    """The most bytes of values that are there at once."""
    cdef array.array live = _live(graph, steps)
    cdef double most = 0
    cdef int step
    for step in range(steps.count):
        most = max(most, live.data.as_doubles[2 * step])
    return most


cdef array.array _live(Graph graph, Steps steps):
    """Bytes that are there in each step, and after it."""
    cdef int n = graph.count, step, at, i, k, j, old
    cdef array.array made = array.clone(_doubles, 2 * steps.count, False), sizes = array.clone(_doubles, n, True)
    cdef array.array lasts = array.clone(_ints, n, False), stored = array.clone(_ints, n, True)
    cdef double* held = sizes.data.as_doubles       # by node: what its death gives back
    cdef int* last = lasts.data.as_ints             # the last step that reads it
    cdef int* is_read = stored.data.as_ints         # whether another step than its own does
    cdef int* first = steps.first.data.as_ints
    cdef int* member = steps.members.data.as_ints
    cdef double now = 0, new, dying
    cdef bint in_place
    cdef Described* node
    memset(last, 0xff, n * sizeof(int))
    for step in range(steps.count):
        for at in range(first[step], first[step + 1]):
            node = &graph.nodes[member[at]]
            last[member[at]] = max(last[member[at]], step)
            if node.kind == VIEW:
                continue
            for k in range(node.ninputs):
                j = base(graph, graph.inputs[node.first_input + k])
                last[j] = step
                is_read[j] |= steps.step_of.data.as_ints[j] != step
    for step in range(steps.count):
        new = dying = 0
        in_place = True
        for at in range(first[step], first[step + 1]):
            i = member[at]
            node = &graph.nodes[i]
            in_place &= node.kind != OPAQUE
            if among(node.kind, GIVEN | 1 << VIEW) or node.nouts > 1 and node.kind == MAP:
                continue
            if not among(node.kind, ELEMENTWISE) or node.flags & ESCAPES or is_read[i]:
                old = base(graph, graph.inputs[node.first_input]) if overwrites(graph, i) else -1
                held[i] = node.nbytes
                if old >= 0 and held[old] and last[old] == step and not graph.nodes[old].flags & ESCAPES:
                    held[old] = 0
                else:
                    new += node.nbytes
        for at in range(first[step], first[step + 1]):
            node = &graph.nodes[member[at]]
            for k in range(-1, 0 if node.kind == VIEW else node.ninputs):
                j = member[at] if k < 0 else base(graph, graph.inputs[node.first_input + k])
                if last[j] == step and held[j] and not graph.nodes[j].flags & ESCAPES:
                    dying += held[j]
                    held[j] = 0
        made.data.as_doubles[2 * step] = now + (max(new - dying, 0.0) if in_place else new)
        now += new - dying
        made.data.as_doubles[2 * step + 1] = now
    return made


cdef array.array cut(Graph graph, Steps single, array.array group, double budget):
    """The stage of each node: stages end where least is live between `budget` and twice as many stored bytes.

    `single` are the nodes as single steps, in order, `group` those that would run together without stages.
    """
    cdef int n = graph.count, at, i, j, k, number = 0, bonds = 0, end = -1
    cdef array.array stages = array.clone(_ints, n, False), stores = array.clone(_ints, n, True)
    cdef array.array live = _live(graph, single), together = _bonds(graph, single, group)
    cdef int* stored = stores.data.as_ints
    cdef double* after = live.data.as_doubles
    cdef double nbytes = 0
    cdef Described* node
    for i in range(n):
        node = &graph.nodes[i]
        for k in range(node.ninputs if node.kind != VIEW else 0):
            j = graph.inputs[node.first_input + k]
            if not fuses(graph, j, i):
                stored[base(graph, j)] = True
    for at in range(n):
        bonds += together.data.as_ints[at]
        together.data.as_ints[at] = bonds
    at = 0
    while at < n:
        i = single.members.data.as_ints[at]
        stages.data.as_ints[i] = number
        if stored[i] and not among(graph.nodes[i].kind, GIVEN | 1 << VIEW):
            nbytes += graph.nodes[i].nbytes
        if nbytes >= budget and together.data.as_ints[at] == 0 and (end < 0 or after[2 * at + 1] <= after[2 * end + 1]):
            end = at
        if nbytes >= 2 * budget and end >= 0:
            number += 1
            nbytes, at, end = 0, end, -1
        at += 1
    return stages


cdef array.array _bonds(Graph graph, Steps single, array.array group):
    """How many ranges, at whose inner positions no stage may end, begin at each position, less those that end there."""
    cdef int n = graph.count, i, j, k, at
    cdef array.array bonds = array.clone(_ints, n + 1, True), lasts = array.clone(_ints, n, True)
    cdef array.array counts = array.clone(_ints, n, True), folds = array.clone(_ints, n, True)
    cdef array.array firsts = array.clone(_ints, n, False), ends = array.clone(_ints, n, False)
    cdef int* together = bonds.data.as_ints
    cdef int* last = lasts.data.as_ints         # where a node's storage is read for the last time
    cdef int* readers = counts.data.as_ints     # how many read it
    cdef int* has_fold = folds.data.as_ints     # of groups, by their representatives, as the next two
    cdef int* first = firsts.data.as_ints
    cdef int* end = ends.data.as_ints
    cdef int* position = single.step_of.data.as_ints
    cdef int* group_of = group.data.as_ints
    cdef Described* node
    memset(end, 0xff, n * sizeof(int))
    for at in range(n):
        i = single.members.data.as_ints[at]
        node = &graph.nodes[i]
        for k in range(node.ninputs if node.kind != VIEW else 0):
            j = base(graph, graph.inputs[node.first_input + k])
            last[j] = at
            readers[j] += 1
        has_fold[group_of[i]] |= node.kind == REDUCE
        if end[group_of[i]] < 0:
            first[group_of[i]] = at
        end[group_of[i]] = at
    for i in range(n):
        node = &graph.nodes[i]
        if overwrites(graph, i):
            _bond(together, position[i], last[base(graph, graph.inputs[node.first_input])])
        if node.kind == RESULT:
            _bond(together, position[graph.inputs[node.first_input]], position[i])
        if among(node.kind, SELECTION) or hands_over(graph, i) and readers[i] == 1:
            _bond(together, position[i], last[i])
        if has_fold[i]:
            _bond(together, first[i], end[i])
    return bonds


cdef inline void _bond(int* together, int first, int last) noexcept:
    if last > first:
        together[first] += 1
        together[last] -= 1
