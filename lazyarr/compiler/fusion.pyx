"""Fusion of nodes into tile programs.

`levels`    assigns each node the earliest wave in which it can run. An edge whose value can stay in a register
            (elementwise producer, same shape) costs nothing; any other edge starts a new wave.
`groups`    joins nodes of one wave that such edges connect into one tile program. A group that another group of its
            wave depends on is closed, so groups cannot depend on each other in a cycle.
siblings    join groups of one wave, such as `x.min()` and `x.max()`, if the inputs of one are a subset of the other's
            and joining does not extend lifetimes: one of them computes only folds, or both compute only results.
            Results that nothing in the graph reads can run last, so they are not joined with folds that have readers.
"""
from libc.string cimport memcpy

from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ELEMENTWISE, FUSABLE, GIVEN, ONE_LOOP, among
from lazyarr._core.ir.loop_table cimport LOOP_COPY, LOOP_SERIAL, all_loops, loop_count
from lazyarr._core.ir.node cimport (
    BESIDE, CHANGES, FINISHES, HANDS_OVER, MAP, OPAQUE, REDUCE, RESULT, SCALAR, UPDATE, VIEW)

cdef enum:
    # limits on joined groups: each operand and fold makes blocks smaller
    MOST_MEMBERS = 16
    MOST_FOLDS = 2      # with elementwise operations
    MOST_FOLDS_ALONE = 4
    # what a group computes besides folds
    RESULTS = 1         # values that escape the graph
    INTERMEDIATES = 2
    WAITED_FOR = 4      # another group reads one of its folds
    STAYS = 8           # it is never joined


cdef int base(Graph graph, int i) noexcept:
    """Return the node whose storage node `i` reads."""
    return graph.nodes[i].inputs[0] if graph.nodes[i].kind == VIEW else i


cdef bint hands_over(Graph graph, int i) noexcept:
    """Return whether a kernel computes the node and may hand over parts of its result."""
    return graph.nodes[i].kind == OPAQUE and graph.nodes[i].attr in (HANDS_OVER, FINISHES)


cdef bint reads_storage_of(Graph graph, int i, int storage) noexcept:
    """Return whether a node reads another one, directly or through a view."""
    cdef int j
    for j in graph.nodes[i].inputs[:graph.nodes[i].ninputs]:
        if base(graph, j) == storage:
            return True
    return False


cdef bint overwrites(Graph graph, int i) noexcept:
    """Return whether a node updates the storage of its first input."""
    return graph.nodes[i].kind == UPDATE or (graph.nodes[i].kind == OPAQUE and graph.nodes[i].attr == CHANGES)


cdef bint fuses(Graph graph, int producer, int consumer) noexcept:
    """Return whether the value of an edge can stay in a register: an elementwise producer of the consumer's shape.

    Also return True for updates of adjacent windows, which one program can write in turn.
    """
    cdef Described* p = &graph.nodes[producer]
    cdef Described* c = &graph.nodes[consumer]
    if p.kind == UPDATE:
        return (c.kind == UPDATE and c.attr == BESIDE and producer != c.inputs[1]
                and graph.nodes[p.inputs[1]].shape == graph.nodes[c.inputs[1]].shape)
    if p.kind == RESULT and graph.nodes[p.inputs[0]].kind == OPAQUE:
        return False  # the call returns it in memory
    if not among(p.kind, ELEMENTWISE) and not (c.kind == RESULT and p.kind == MAP):
        return False
    if among(c.kind, ELEMENTWISE):
        return p.shape == c.shape
    return c.kind == REDUCE or (c.kind == UPDATE and producer == c.inputs[1] and producer != c.inputs[0])


cdef int* first_waves(Graph graph, int* stage) except NULL:
    """Return the first wave of each stage, and the end of the last, with room for a wave per node."""
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
    """Return the wave of each node: as early as its inputs allow, then as late as its readers allow, within its stage.

    Readers of storage that the graph updates stay early: after the update they would need a copy.
    """
    cdef int n = graph.count, never = 2 * n + 1, i, j, at, bound
    cdef int* level = graph.ints(n)
    cdef int* mark = graph.ints(n)          # 1: its storage is updated, 2: stays early
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


cdef int _find(int* parent, int i) noexcept:
    """Return the representative of the set of i."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


cdef int* groups(Graph graph, int* wave) except NULL:
    """Return the representative of each node's group (itself if it runs alone), with siblings joined."""
    return _join_siblings(graph, wave, _connected(graph, wave))


cdef int* _connected(Graph graph, int* wave) except NULL:
    """Join nodes over fusable edges by union-find."""
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
            a, b = _find(parent, j), _find(parent, i)
            if a == b:
                continue
            if node.kind != RESULT and (closed[a] or closed[b] or _clash(graph, fold[a], fold[b])
                                        or size[a] + size[b] > MAX_GROUP):
                # A group that refused a member takes no more, or groups could come to depend on each other in a
                # cycle. A fold in a group of its own has no readers in this wave.
                if not (node.kind == REDUCE and size[b] == 1):
                    closed[a] = True
                continue
            parent[b] = a
            size[a] += size[b]
            closed[a] = closed[a] or closed[b]
            if fold[a] < 0:
                fold[a] = fold[b]
    for i in range(n):
        parent[i] = _find(parent, i)
    return parent


cdef bint _clash(Graph graph, int a, int b) noexcept:
    """Return whether two folds go over different axes, or in different ways."""
    return a >= 0 and b >= 0 and (graph.nodes[a].axes != graph.nodes[b].axes
                                  or graph.nodes[a].attr != graph.nodes[b].attr)


# ---- siblings ------------------------------------------------------------------------------------------


cdef int* _join_siblings(Graph graph, int* wave, int* group) except NULL:
    """Return the representative of each node's group after joining siblings."""
    cdef int n = graph.count, i, j, a, b
    cdef int* parent = graph.ints(n)
    cdef int* reader = graph.ints(n, -1)        # by node: a group that reads it, or -1
    cdef _Groups groups = _Groups.__new__(_Groups)
    cdef Described* node
    groups.prepare(graph, group, _kinds(graph, wave, group))
    memcpy(parent, group, n * sizeof(int))
    for i in range(n):
        node = &graph.nodes[i]
        if not groups.is_member(i):
            continue
        for j in node.inputs[:node.ninputs]:
            if not groups.is_load(i, j):
                continue
            a, b = reader[j], _find(parent, group[i])
            if a >= 0:
                a = _find(parent, a)
                if a != b and wave[a] == wave[b] and groups.join(a, b):
                    parent[b] = b = a
            reader[j] = b
    for i in range(n):
        parent[i] = _find(parent, i)
    return parent


cdef int* _kinds(Graph graph, int* wave, int* group) except NULL:
    """Return what each group computes, by its representative."""
    cdef int n = graph.count, i, j, own, other
    cdef int* makes = graph.ints(n)
    cdef int* overwritten = graph.ints(n)
    cdef Described* node
    for i in range(n):
        if overwrites(graph, i):
            overwritten[base(graph, graph.nodes[i].inputs[0])] = True
    for i in range(n):
        node = &graph.nodes[i]
        own = group[i]
        if node.kind == MAP:
            if node.loop >= loop_count() or all_loops[node.loop].flags & (LOOP_SERIAL | LOOP_COPY):
                makes[own] |= STAYS
            if node.flags & ESCAPES:
                makes[own] |= RESULTS
        elif node.kind != REDUCE or node.attr or node.outer or all_loops[node.loop].flags & LOOP_SERIAL:
            makes[own] |= STAYS
        for j in node.inputs[:node.ninputs]:
            other = group[j]
            if other == own:
                continue
            if graph.nodes[j].kind == MAP:
                makes[other] |= INTERMEDIATES
            elif graph.nodes[j].kind == REDUCE:
                makes[other] |= WAITED_FOR
            # dependent groups cannot be joined, and groups of updates and epilogues stay as they are
            if wave[i] == wave[j] and not among(graph.nodes[j].kind, GIVEN | 1 << VIEW):
                makes[own] |= STAYS
                makes[other] |= STAYS
            if overwritten[base(graph, j)] or hands_over(graph, j):
                makes[own] |= STAYS
    return makes


cdef class _Groups:
    """The groups and their state while siblings are joined, by representative."""
    cdef Graph graph
    cdef int* group_of
    cdef int* makes
    cdef dict members, loads
    cdef dict folds         # (count, axes) of groups with folds

    cdef int prepare(self, Graph graph, int* group_of, int* makes) except -1:
        cdef int i, j, own
        cdef Described* node
        self.graph, self.group_of, self.makes = graph, group_of, makes
        self.members, self.loads, self.folds = {}, {}, {}
        for i in range(graph.count):
            if not self.is_member(i):
                continue
            node = &graph.nodes[i]
            own = self.group_of[i]
            self.members[own] = self.members.get(own, 0) + 1
            if node.kind == REDUCE:
                self.folds[own] = self.folds.get(own, (0,))[0] + 1, node.axes
            for j in node.inputs[:node.ninputs]:
                if self.is_load(i, j):
                    self.loads.setdefault(own, set()).add(j)
        return 0

    cdef bint is_member(self, int i) noexcept:
        """Return whether a node is in a group that may be joined."""
        return among(self.graph.nodes[i].kind, 1 << MAP | 1 << REDUCE) and not self.makes[self.group_of[i]] & STAYS

    cdef bint is_load(self, int i, int j) noexcept:
        """Return whether member i loads an element of node j for each element of the group's space."""
        cdef Described* node = &self.graph.nodes[i]
        cdef Described* read = &self.graph.nodes[j]
        return (self.group_of[i] != self.group_of[j] and read.kind != SCALAR
                and (node.kind == REDUCE or read.shape == node.shape))

    cdef bint join(self, int a, int b) except -1:
        """Join group b into group a if allowed; both read at least one array."""
        cdef set loads = self.loads[a], others = self.loads[b]
        cdef int members = self.members[a] + self.members[b], folds = 0
        if not _lie_no_longer(self.makes[a], self.makes[b]) \
                or members > MOST_MEMBERS or not (loads <= others or others <= loads):
            return False
        if a in self.folds and b in self.folds:
            folds = self.folds[a][0] + self.folds[b][0]
            if self.folds[a][1] != self.folds[b][1] or folds > (MOST_FOLDS_ALONE if folds == members else MOST_FOLDS):
                return False
            self.folds[a] = folds, self.folds[a][1]
        elif b in self.folds:
            self.folds[a] = self.folds[b]
        self.makes[a] |= self.makes[b]
        self.members[a] = members
        loads |= others
        return True


cdef bint _lie_no_longer(int one, int other) noexcept:
    """Return whether joining two groups extends no lifetime of what they compute."""
    cdef int both = one | other
    if not one & (RESULTS | INTERMEDIATES) or not other & (RESULTS | INTERMEDIATES):
        return both & (RESULTS | INTERMEDIATES) != RESULTS or not both & WAITED_FOR
    return both == RESULTS
