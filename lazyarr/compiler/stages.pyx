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
from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph, large_bytes
from lazyarr._core.ir.kinds cimport ELEMENTWISE, GIVEN, SELECTION, among
from lazyarr._core.ir.node cimport MAP, OPAQUE, REDUCE, RESULT, VIEW
from lazyarr.compiler.fusion cimport base, fuses, hands_over, overwrites
from lazyarr.compiler.step_order cimport Steps, steps_of


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
    cdef Steps made, walked = steps_of(graph, [[i] for i in range(graph.count)])
    cdef Described* node
    cdef int i, j
    cdef list serials = []
    for i in range(graph.count):
        node = &graph.nodes[i]  # which, if it was rewritten, may read what was made behind it
        serials.append(max([node.serial] + [serials[j] for j in node.inputs[:node.ninputs]]))
    made = steps_of(graph, [[i] for i in sorted(range(graph.count), key=serials.__getitem__)])
    return made if most_at_once(graph, made) <= most_at_once(graph, walked) else walked


cdef double most_at_once(Graph graph, Steps steps) except -1:
    """The most bytes of values that are there at once."""
    cdef double* live = _live(graph, steps)
    cdef double most = 0
    cdef int step
    for step in range(steps.count):
        most = max(most, live[2 * step])
    return most


cdef double* _live(Graph graph, Steps steps) except NULL:
    """Bytes that are there in each step, and after it."""
    cdef int n = graph.count, step, at, i, k, j, old
    cdef double* live = <double*>graph.zeros(2 * steps.count * sizeof(double))
    cdef double* held = <double*>graph.zeros(n * sizeof(double))    # by node: what its death gives back
    cdef int* last = graph.ints(n, -1)      # the last step that reads it
    cdef int* is_read = graph.ints(n)       # whether another step than its own does
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
    """The stage of each node: stages end where least is live between `budget` and twice as many stored bytes.

    `single` are the nodes as single steps, in order, `group` those that would run together without stages.
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
    """How many ranges, at whose inner positions no stage may end, begin at each position, less those that end there."""
    cdef int n = graph.count, i, j, at
    cdef int* together = graph.ints(n + 1)
    cdef int* last = graph.ints(n)          # where a node's storage is read for the last time
    cdef int* readers = graph.ints(n)       # how many read it
    cdef int* has_fold = graph.ints(n)      # of groups, by their representatives, as the next two
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
