"""Fusion of nodes into tile programs.

`levels`    each node gets the earliest wave in which it can run. An edge along which values can stay in registers
            (elementwise producer, same shape) costs nothing, any other starts a new wave.
`groups`    nodes of one wave connected by such edges become one tile program. A group that another of its wave depends
            on takes no more members, so groups cannot depend on each other in a circle.
"""
from cpython cimport array

from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, FUSABLE, GIVEN, ONE_LOOP, among
from lazyarr._core.ir.node cimport BESIDE, CHANGES, FINISHES, HANDS_OVER, MAP, OPAQUE, REDUCE, RESULT, UPDATE, VIEW

import array

cdef array.array _ints = array.array("i")


cdef int base(Graph graph, int i) noexcept:
    """The node whose storage node `i` reads."""
    return graph.inputs[graph.nodes[i].first_input] if graph.nodes[i].kind == VIEW else i


cdef bint hands_over(Graph graph, int i) noexcept:
    """Whether a node is computed by a kernel that may hand parts of its result over."""
    return graph.nodes[i].kind == OPAQUE and graph.nodes[i].attr in (HANDS_OVER, FINISHES)


cdef bint reads_storage_of(Graph graph, int i, int storage) noexcept:
    """Whether a node reads another one, directly or through a view."""
    cdef int k
    for k in range(graph.nodes[i].ninputs):
        if base(graph, graph.inputs[graph.nodes[i].first_input + k]) == storage:
            return True
    return False


cdef bint overwrites(Graph graph, int i) noexcept:
    """Whether a node is a new version of the storage of its first input."""
    return graph.nodes[i].kind == UPDATE or (graph.nodes[i].kind == OPAQUE and graph.nodes[i].attr == CHANGES)


cdef bint fuses(Graph graph, int producer, int consumer) noexcept:
    """Whether the edge can be a register: an elementwise producer walked in the consumer's own space.

    Or whether it need not be one: windows beside each other can be written in turns.
    """
    cdef Described* p = &graph.nodes[producer]
    cdef Described* c = &graph.nodes[consumer]
    cdef int* read = graph.inputs + c.first_input
    if p.kind == UPDATE:
        return (c.kind == UPDATE and c.attr == BESIDE and producer != read[1]
                and graph.nodes[graph.inputs[p.first_input + 1]].shape == graph.nodes[read[1]].shape)
    if p.kind == RESULT and graph.nodes[graph.inputs[p.first_input]].kind == OPAQUE:
        return False  # the call hands it over in memory
    if not among(p.kind, ELEMENTWISE) and not (c.kind == RESULT and p.kind == MAP):
        return False
    if among(c.kind, ELEMENTWISE):
        return p.shape == c.shape
    return c.kind == REDUCE or (c.kind == UPDATE and producer == read[1] and producer != read[0])


cdef array.array first_waves(array.array stage):
    """The first wave of each stage, and of one more, if each node might have its own."""
    cdef int n = <int>len(stage), i, stages = 1
    cdef array.array made
    for i in range(n):
        stages = max(stages, stage.data.as_ints[i] + 1)
    made = array.clone(_ints, stages + 1, True)
    for i in range(n):
        made.data.as_ints[stage.data.as_ints[i] + 1] += 1
    for i in range(stages):
        made.data.as_ints[i + 1] += made.data.as_ints[i]
    return made


cdef array.array levels(Graph graph, array.array stage):
    """The wave of each node: as early as its inputs allow, then as late as its readers allow, within its stage.

    What reads storage that the graph updates stays early: moved behind the update it would need a copy.
    """
    cdef int n = graph.count, never = 2 * n + 1, i, j, k, at, bound
    cdef array.array made = array.clone(_ints, n, True), marks = array.clone(_ints, n, True)
    cdef array.array bounds = array.clone(_ints, n, False), begins = first_waves(stage), ends = array.copy(begins)
    cdef int* level = made.data.as_ints
    cdef int* mark = marks.data.as_ints     # 1: its storage is updated, 2: it stays early
    cdef int* latest = bounds.data.as_ints
    cdef int* stage_of = stage.data.as_ints
    cdef int* end = ends.data.as_ints       # by stage: its last wave
    cdef Described* node
    for i in range(n):
        node = &graph.nodes[i]
        level[i] = begins.data.as_ints[stage_of[i]]
        if overwrites(graph, i):
            mark[graph.inputs[node.first_input]] |= 1
        for k in range(node.ninputs):
            j = graph.inputs[node.first_input + k]
            if node.kind == VIEW or fuses(graph, j, i):
                at = level[j]
            else:
                j = base(graph, j)
                at = level[j] + (not among(graph.nodes[j].kind, GIVEN))
            level[i] = max(level[i], at)
        end[stage_of[i]] = max(end[stage_of[i]], level[i])
    for i in range(n):
        node = &graph.nodes[i]
        latest[i] = never
        for k in range(node.ninputs):
            j = graph.inputs[node.first_input + k]
            if mark[base(graph, j)] & 1 or mark[j] & 2 and fuses(graph, j, i):
                mark[i] |= 2
                break
    for i in range(n - 1, -1, -1):
        node = &graph.nodes[i]
        if among(node.kind, ONE_LOOP) and node.nouts == 1 and not mark[i] & 2 and latest[i] < never:
            level[i] = max(level[i], min(latest[i], end[stage_of[i]]))
        for k in range(node.ninputs):
            j = graph.inputs[node.first_input + k]
            bound = latest[i] if node.kind == VIEW else level[i] if fuses(graph, j, i) else level[i] - 1
            latest[j] = min(latest[j], bound)
    return made


cdef int find(int* parent, int i) noexcept:
    """The representative of the set that i is in."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


cdef array.array groups(Graph graph, array.array level):
    """Union-find over fused edges; the representative of each node's group (itself where it runs alone)."""
    cdef int n = graph.count, i, j, k, a, b
    cdef array.array made = array.clone(_ints, n, False), sizes = array.clone(_ints, n, False)
    cdef array.array folded = array.clone(_ints, n, False), closings = array.clone(_ints, n, True)
    cdef int* parent = made.data.as_ints
    cdef int* size = sizes.data.as_ints
    cdef int* fold = folded.data.as_ints    # one of the group's folds, -1 if it has none
    cdef int* closed = closings.data.as_ints
    cdef int* wave = level.data.as_ints
    cdef Described* node
    for i in range(n):
        parent[i] = i
        size[i] = 1
        fold[i] = i if graph.nodes[i].kind == REDUCE else -1
    for i in range(n):
        node = &graph.nodes[i]
        if not among(node.kind, FUSABLE):
            continue
        for k in range(node.ninputs):
            j = graph.inputs[node.first_input + k]
            if wave[i] != wave[j] or not fuses(graph, j, i):
                continue
            a, b = find(parent, j), find(parent, i)
            if a == b:
                continue
            if node.kind != RESULT and (closed[a] or closed[b] or _clash(graph, fold[a], fold[b])
                                        or size[a] + size[b] > MAX_GROUP):
                # A group that refused a member once takes no more: its readers may come to depend on more. A fold
                # of its own has none in this wave.
                if not (node.kind == REDUCE and size[b] == 1):
                    closed[a] = True
                continue
            parent[b] = a
            size[a] += size[b]
            closed[a] = closed[a] or closed[b]
            if fold[a] < 0:
                fold[a] = fold[b]
    for i in range(n):
        parent[i] = find(parent, i)
    return made


cdef bint _clash(Graph graph, int a, int b) noexcept:
    """Whether two folds go over different axes, or one of them in another manner."""
    return a >= 0 and b >= 0 and (graph.nodes[a].axes != graph.nodes[b].axes
                                  or graph.nodes[a].attr != graph.nodes[b].attr)
