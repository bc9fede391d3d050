"""Sibling fusion: programs that read the same arrays become one, as `x.min()` and `x.max()` do.

Two groups of nodes of one wave are joined where the arrays that one of them reads are all read by the other, and where
what they make need not be in memory for longer than it was: one makes folds alone, or both make results alone. Results
that nothing in the graph reads are not joined with folds that something waits for, since they can come last.
"""
from libc.string cimport memcpy

from lazyarr._core.ir.fingerprint cimport ESCAPES
from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport GIVEN, among
from lazyarr._core.ir.loop_table cimport LOOP_COPY, LOOP_SERIAL, all_loops, loop_count
from lazyarr._core.ir.node cimport MAP, REDUCE, SCALAR, VIEW
from lazyarr.compiler.fusion cimport base, find, hands_over, overwrites

cdef enum:
    # of what is joined: blocks get smaller with each operand and fold
    MOST_MEMBERS = 16
    MOST_FOLDS = 2      # beside elementwise operations
    MOST_FOLDS_ALONE = 4
    # what a group makes besides folds
    RESULTS = 1         # what is wanted outside
    INTERMEDIATES = 2
    WAITED_FOR = 4      # another group reads one of its folds
    STAYS = 8           # it is never joined


cdef int* join_siblings(Graph graph, int* wave, int* group) except NULL:
    """The representative of each node's group, some groups being joined."""
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
            a, b = reader[j], find(parent, group[i])
            if a >= 0:
                a = find(parent, a)
                if a != b and wave[a] == wave[b] and groups.join(a, b):
                    parent[b] = b = a
            reader[j] = b
    for i in range(n):
        parent[i] = find(parent, i)
    return parent


cdef int* _kinds(Graph graph, int* wave, int* group) except NULL:
    """The values each group makes, by its representative."""
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
            # those that wait for each other cannot be one, and what is there for an update or an epilogue stays
            if wave[i] == wave[j] and not among(graph.nodes[j].kind, GIVEN | 1 << VIEW):
                makes[own] |= STAYS
                makes[other] |= STAYS
            if overwritten[base(graph, j)] or hands_over(graph, j):
                makes[own] |= STAYS
    return makes


cdef class _Groups:
    """State of groups while they are joined, by their representatives."""
    cdef Graph graph
    cdef int* group_of
    cdef int* makes
    cdef dict members, loads
    cdef dict folds         # (how many, their axes), where there are any

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
        """Whether a node is in a group that may be joined with other groups."""
        return among(self.graph.nodes[i].kind, 1 << MAP | 1 << REDUCE) and not self.makes[self.group_of[i]] & STAYS

    cdef bint is_load(self, int i, int j) noexcept:
        """Whether member i reads node j from memory, an element for each of the group's space."""
        cdef Described* node = &self.graph.nodes[i]
        cdef Described* read = &self.graph.nodes[j]
        return (self.group_of[i] != self.group_of[j] and read.kind != SCALAR
                and (node.kind == REDUCE or read.shape == node.shape))

    cdef bint join(self, int a, int b) except -1:
        """Take group b into group a, if they may be one; both read one array at least."""
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
    """Whether what two groups make need not be in memory for longer if they are one."""
    cdef int both = one | other
    if not one & (RESULTS | INTERMEDIATES) or not other & (RESULTS | INTERMEDIATES):
        return both & (RESULTS | INTERMEDIATES) != RESULTS or not both & WAITED_FOR
    return both == RESULTS
