"""Stages: parts of a graph that run one after the other, because running everything together would take more memory.

Waves run independent operations together: of an unrolled loop, first the first operation of all iterations, then the
second, with all values live in between. NumPy runs one operation after the other. The order in which nodes were created
is such an order, and so is the depth-first order of the walk. The liveness in either order is known, and a graph of
large arrays is cut where little is live, as it is after each iteration:

    live     /\\    /\\    /\\
            /  \\__/  \\__/  \\__        a stage ends in a valley, once it has stored enough
    stages  111111222222333333

Values live at a cut are stored, as in NumPy; within a stage everything is fused. No cut separates a fold from the
operations fused into it, since its rounding depends on them; an update from earlier readers of the old values; calls
from their results; selections from their readers; kernels from their epilogues.
"""
from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph, large_bytes
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, SELECTION, among
from lazyarr._core.ir.node cimport MAP, OPAQUE, REDUCE, RESULT, VIEW
from lazyarr.compiler.fusion cimport base, fuses, hands_over, overwrites
from lazyarr.compiler.step_order cimport Steps, steps_of


cdef bint is_large(Graph graph) noexcept:
    """Return whether the values of a graph are so large that its peak memory matters."""
    cdef double total = 0
    cdef int i
    for i in range(graph.count):
        if not among(graph.nodes[i].kind, GIVEN | 1 << VIEW):
            total += graph.nodes[i].nbytes
    return total >= large_bytes()


cdef Steps one_by_one(Graph graph):
    """Return a step per node, in order of creation or of the walk, whichever has the lower peak."""
    cdef Steps made, walked = steps_of(graph, [[i] for i in range(graph.count)])
    cdef Described* node
    cdef int i, j
    cdef list serials = []
    for i in range(graph.count):
        node = &graph.nodes[i]  # a rewritten node may read nodes that were created later
        serials.append(max([node.serial] + [serials[j] for j in node.inputs[:node.ninputs]]))
    made = steps_of(graph, [[i] for i in sorted(range(graph.count), key=serials.__getitem__)])
    return made if most_at_once(graph, made) <= most_at_once(graph, walked) else walked


cdef double most_at_once(Graph graph, Steps steps) except -1:
    """Return the peak of live bytes."""
    cdef double* live = _live(graph, steps)
    cdef double most = 0
    cdef int step
    for step in range(steps.count):
        most = max(most, live[2 * step])
    return most


cdef double* _live(Graph graph, Steps steps) except NULL:
    """Return the live bytes in each step and after it."""
    cdef int n = graph.count, step, at, i, k, j, old
    cdef double* live = <double*>graph.zeros(2 * steps.count * sizeof(double))
    cdef double* held = <double*>graph.zeros(n * sizeof(double))    # by node: bytes that its death frees
    cdef int* last = graph.ints(n, -1)      # the last step that reads it
    cdef int* is_read = graph.ints(n)       # whether another step reads it
    cdef int* first = steps.first
    cdef int* member = steps.members
    cdef double now = 0, new, dying
    cdef bint in_place
    cdef Described* node
    for step in range(steps.count):
        for at in range(first[step], first[step + 1]):
            node = &graph.nodes[member[at]]
            last[member[at]] = max(last[member[at]], step)
            if node.kind == VIEW:
                continue
            for j in node.inputs[:node.ninputs]:
                j = base(graph, j)
                last[j] = step
                is_read[j] |= steps.step_of[j] != step
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
                old = base(graph, node.inputs[0]) if overwrites(graph, i) else -1
                held[i] = node.nbytes
                if old >= 0 and held[old] and last[old] == step and not graph.nodes[old].flags & ESCAPES:
                    held[old] = 0
                else:
                    new += node.nbytes
        for at in range(first[step], first[step + 1]):
            node = &graph.nodes[member[at]]
            for k in range(-1, 0 if node.kind == VIEW else node.ninputs):
                j = member[at] if k < 0 else base(graph, node.inputs[k])
                if last[j] == step and held[j] and not graph.nodes[j].flags & ESCAPES:
                    dying += held[j]
                    held[j] = 0
        live[2 * step] = now + (max(new - dying, 0.0) if in_place else new)
        now += new - dying
        live[2 * step + 1] = now
    return live


cdef int* cut(Graph graph, Steps single, int* group, double budget) except NULL:
    """Return the stage of each node.

    A stage ends where the least is live, between `budget` and twice as many stored bytes.
    `single` has one step per node, in order; `group` has the groups of the graph without stages.
    """
    cdef int n = graph.count, at, i, j, number = 0, bonds = 0, end = -1
    cdef int* stages = graph.ints(n)
    cdef int* stored = graph.ints(n)
    cdef int* together = _bonds(graph, single, group)
    cdef double* live = _live(graph, single)
    cdef double nbytes = 0
    cdef Described* node
    for i in range(n):
        node = &graph.nodes[i]
        for j in node.inputs[:0 if node.kind == VIEW else node.ninputs]:
            if not fuses(graph, j, i):
                stored[base(graph, j)] = True
    for at in range(n):
        bonds += together[at]
        together[at] = bonds
    at = 0
    while at < n:
        i = single.members[at]
        stages[i] = number
        if stored[i] and not among(graph.nodes[i].kind, GIVEN | 1 << VIEW):
            nbytes += graph.nodes[i].nbytes
        if nbytes >= budget and together[at] == 0 and (end < 0 or live[2 * at + 1] <= live[2 * end + 1]):
            end = at
        if nbytes >= 2 * budget and end >= 0:
            number += 1
            nbytes, at, end = 0, end, -1
        at += 1
    return stages


cdef int* _bonds(Graph graph, Steps single, int* group) except NULL:
    """Return, by position, how many ranges that no stage may end inside begin there, minus how many end there."""
    cdef int n = graph.count, i, j, at
    cdef int* together = graph.ints(n + 1)
    cdef int* last = graph.ints(n)          # position of the last read of a node's storage
    cdef int* readers = graph.ints(n)       # number of readers
    cdef int* has_fold = graph.ints(n)      # by representative of a group, as the next two
    cdef int* first = graph.ints(n)
    cdef int* end = graph.ints(n, -1)
    cdef int* position = single.step_of
    cdef Described* node
    for at in range(n):
        i = single.members[at]
        node = &graph.nodes[i]
        for j in node.inputs[:0 if node.kind == VIEW else node.ninputs]:
            j = base(graph, j)
            last[j] = at
            readers[j] += 1
        has_fold[group[i]] |= node.kind == REDUCE
        if end[group[i]] < 0:
            first[group[i]] = at
        end[group[i]] = at
    for i in range(n):
        node = &graph.nodes[i]
        if overwrites(graph, i):
            _bond(together, position[i], last[base(graph, node.inputs[0])])
        if node.kind == RESULT:
            _bond(together, position[node.inputs[0]], position[i])
        if among(node.kind, SELECTION) or hands_over(graph, i) and readers[i] == 1:
            _bond(together, position[i], last[i])
        if has_fold[i]:
            _bond(together, first[i], end[i])
    return together


cdef inline void _bond(int* together, int first, int last) noexcept:
    if last > first:
        together[first] += 1
        together[last] -= 1
