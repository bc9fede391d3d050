"""Fusion of nodes into tile programs.

`levels`    each node gets the earliest wave in which it can run. An edge along which values can stay in registers
            (elementwise producer, same shape) costs nothing, any other starts a new wave.
`groups`    nodes of one wave connected by such edges become one tile program. A group that another of its wave depends
            on takes no more members, so groups cannot depend on each other in a circle.
"""
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, FUSABLE, GIVEN, ONE_LOOP, among
from lazyarr._core.ir.node cimport BESIDE, CHANGES, FINISHES, HANDS_OVER, MAP, OPAQUE, REDUCE, RESULT, UPDATE, VIEW


cdef int base(Graph graph, int i) noexcept:
    """The node whose storage node `i` reads."""
    return graph.nodes[i].inputs[0] if graph.nodes[i].kind == VIEW else i


cdef bint hands_over(Graph graph, int i) noexcept:
    """Whether a node is computed by a kernel that may hand parts of its result over."""
    return graph.nodes[i].kind == OPAQUE and graph.nodes[i].attr in (HANDS_OVER, FINISHES)


cdef bint reads_storage_of(Graph graph, int i, int storage) noexcept:
    """Whether a node reads another one, directly or through a view."""
    cdef int j
    for j in graph.nodes[i].inputs[:graph.nodes[i].ninputs]:
        if base(graph, j) == storage:
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
    if p.kind == UPDATE:
        return (c.kind == UPDATE and c.attr == BESIDE and producer != c.inputs[1]
                and graph.nodes[p.inputs[1]].shape == graph.nodes[c.inputs[1]].shape)
    if p.kind == RESULT and graph.nodes[p.inputs[0]].kind == OPAQUE:
        return False  # the call hands it over in memory
    if not among(p.kind, ELEMENTWISE) and not (c.kind == RESULT and p.kind == MAP):
        return False
    if among(c.kind, ELEMENTWISE):
        return p.shape == c.shape
    return c.kind == REDUCE or (c.kind == UPDATE and producer == c.inputs[1] and producer != c.inputs[0])


cdef int* first_waves(Graph graph, int* stage) except NULL:
    """The first wave of each stage, and of one more, if each node might have its own."""
    cdef int i, stages = 1
    cdef int* made
    for i in range(graph.count):
        stages = max(stages, stage[i] + 1)
    made = graph.ints(stages + 1)
    for i in range(graph.count):
        made[stage[i] + 1] += 1
    for i in range(stages):
        made[i + 1] += made[i]
    return made


cdef int* levels(Graph graph, int* stage) except NULL:
    """The wave of each node: as early as its inputs allow, then as late as its readers allow, within its stage.

    What reads storage that the graph updates stays early: moved behind the update it would need a copy.
    """
    cdef int n = graph.count, never = 2 * n + 1, i, j, at, bound
    cdef int* level = graph.ints(n)
    cdef int* mark = graph.ints(n)          # 1: its storage is updated, 2: it stays early
    cdef int* latest = graph.ints(n)
    cdef int* begin = first_waves(graph, stage)
    cdef int* end = first_waves(graph, stage)   # by stage: its last wave
    cdef Described* node
    for i in range(n):
        node = &graph.nodes[i]
        level[i] = begin[stage[i]]
        if overwrites(graph, i):
            mark[node.inputs[0]] |= 1
        for j in node.inputs[:node.ninputs]:
            if node.kind == VIEW or fuses(graph, j, i):
                at = level[j]
            else:
                j = base(graph, j)
                at = level[j] + (not among(graph.nodes[j].kind, GIVEN))
            level[i] = max(level[i], at)
        end[stage[i]] = max(end[stage[i]], level[i])
    for i in range(n):
        node = &graph.nodes[i]
        latest[i] = never
        for j in node.inputs[:node.ninputs]:
            if mark[base(graph, j)] & 1 or mark[j] & 2 and fuses(graph, j, i):
                mark[i] |= 2
                break
    for i in range(n - 1, -1, -1):
        node = &graph.nodes[i]
        if among(node.kind, ONE_LOOP) and node.nouts == 1 and not mark[i] & 2 and latest[i] < never:
            level[i] = max(level[i], min(latest[i], end[stage[i]]))
        for j in node.inputs[:node.ninputs]:
            bound = latest[i] if node.kind == VIEW else level[i] if fuses(graph, j, i) else level[i] - 1
            latest[j] = min(latest[j], bound)
    return level


cdef int find(int* parent, int i) noexcept:
    """The representative of the set that i is in."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


cdef int* groups(Graph graph, int* wave) except NULL:
    """Union-find over fused edges; the representative of each node's group (itself where it runs alone)."""
    cdef int n = graph.count, i, j, a, b
    cdef int* parent = graph.ints(n)
    cdef int* size = graph.ints(n)
    cdef int* fold = graph.ints(n)      # one of the group's folds, -1 if it has none
    cdef int* closed = graph.ints(n)
    cdef Described* node
    for i in range(n):
        parent[i] = i
        size[i] = 1
        fold[i] = i if graph.nodes[i].kind == REDUCE else -1
    for i in range(n):
        node = &graph.nodes[i]
        if not among(node.kind, FUSABLE):
            continue
        for j in node.inputs[:node.ninputs]:
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
    return parent


cdef bint _clash(Graph graph, int a, int b) noexcept:
    """Whether two folds go over different axes, or one of them in another manner."""
    return a >= 0 and b >= 0 and (graph.nodes[a].axes != graph.nodes[b].axes
                                  or graph.nodes[a].attr != graph.nodes[b].attr)
