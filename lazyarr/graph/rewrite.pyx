"""Rewrites of a described graph, before it is scheduled.

A rewrite returns the graph with some nodes standing for others. Positions do not change; a node that is no longer
needed is left behind as a leaf nobody reads.
"""
from cpython cimport array
from libc.stdlib cimport calloc, free
from libc.stdint cimport uint64_t

from lazyarr._core.described cimport Described, Graph
from lazyarr._core.node cimport BESIDE, LEAF, OPAQUE, REDUCE, REPEAT, SCALAR, UPDATE, VIEW
from lazyarr._core.walk cimport ESCAPES
from lazyarr.graph.kinds cimport ELEMENTWISE, ONE_LOOP, READERS, among

import array

cdef array.array _ints = array.array("i")


def common_subexpressions(Graph graph):
    """Compute equal elementwise expressions, and equal folds, once; read equal views and constants as one.

    Returns
    -------
    graph : Graph
    aliases : list of (int, int)
        Nodes left out, each with the node computed in its place: floating-point errors of the one are reported for
        the other too, under the errstate and the line it was made with.

    Examples
    --------
    >>> from lazyarr._core.described import Graph
    >>> from lazyarr.graph.schedule import ESCAPES, LEAF, MAP
    >>> a = LEAF, (), 0, 8, 0, 0, (), 0
    >>> twice = MAP, (0, 0), 0, 8, 0, 5, (8,), 0
    >>> product = MAP, (1, 2), 0, 8, ESCAPES, 6, (8,), 0
    >>> graph, aliases = common_subexpressions(Graph([a, twice, twice, product]))
    >>> graph[3].inputs, aliases
    ((1, 1), [(2, 1)])
    """
    cdef Graph out = graph.copy()
    cdef list aliases = []
    cdef array.array stands_for = array.clone(_ints, graph.count, False)
    cdef array.array by_identity = array.clone(_ints, graph.count, True)
    cdef Described* node
    cdef int* inputs
    cdef int i, j, first
    cdef int room = 16
    cdef int* table
    # views, updates and calls reach for the very node they were made on
    for i in range(graph.count):
        node = &graph.nodes[i]
        if not among(node.kind, READERS):
            for j in range(node.ninputs):
                by_identity.data.as_ints[graph.inputs[node.first_input + j]] = True
    while room < 2 * graph.count:
        room *= 2
    table = <int*>calloc(room, sizeof(int))
    if table is NULL:
        raise MemoryError()
    try:
        for i in range(graph.count):
            node = &out.nodes[i]
            inputs = out.inputs + node.first_input
            for j in range(node.ninputs):
                inputs[j] = stands_for.data.as_ints[inputs[j]]
            stands_for.data.as_ints[i] = i
            if among(node.kind, 1 << VIEW | 1 << SCALAR):
                stands_for.data.as_ints[i] = node.like
            if not (among(node.kind, ONE_LOOP) and node.nouts == 1 or node.kind == REDUCE and not node.attr):
                continue
            first = _find_equal(out, i, table, room)
            if first != i and not node.flags & ESCAPES and not by_identity.data.as_ints[i]:
                stands_for.data.as_ints[i] = first
                aliases.append((i, first))
                node.kind, node.flags, node.ninputs, node.nouts = LEAF, 0, 0, 0
    finally:
        free(table)
    return out, aliases


cdef int _find_equal(Graph graph, int i, int* table, int room) noexcept:
    """The first node that computes what node i does; node i itself is entered if there is none before it."""
    cdef Described* node = &graph.nodes[i]
    cdef Described* other
    cdef int* inputs = graph.inputs + node.first_input
    cdef int* others
    cdef uint64_t h = <uint64_t>node.loop * 31 + node.kind + node.axes
    cdef int j, at
    for j in range(node.ninputs):
        h = (h ^ <uint64_t>inputs[j]) * 0x9E3779B97F4A7C15ULL
    at = <int>(h >> 32) & (room - 1)
    while table[at]:
        other = &graph.nodes[table[at] - 1]
        others = graph.inputs + other.first_input
        if other.kind == node.kind and other.loop == node.loop and other.shape == node.shape \
                and other.attr == node.attr and other.axes == node.axes and other.ninputs == node.ninputs:
            for j in range(node.ninputs):
                if others[j] != inputs[j]:
                    break
            else:
                return table[at] - 1
        at = (at + 1) & (room - 1)
    table[at] = i + 1
    return i


def repeats(Graph graph):
    """Repeat elements while they are read where only elementwise operations read them; let a kernel do it elsewhere.

    The first are like views of what they repeat: a tile program reads through them.

    Examples
    --------
    >>> from lazyarr._core.described import Graph
    >>> from lazyarr.graph.schedule import ESCAPES, LEAF, MAP, OPAQUE, REPEAT, VIEW
    >>> a, twice = (LEAF, (), 0, 8, 0, 0, (), 0), (REPEAT, (0,), 1, 8, 0, 0, (), 2)
    >>> total = MAP, (1, 1), 1, 8, ESCAPES, 5, (8,), 0
    >>> repeats(Graph([a, twice, total]))[1].kind == VIEW
    True
    >>> seen = REPEAT, (0,), 1, 8, ESCAPES, 0, (), 2
    >>> repeats(Graph([a, seen, total]))[1].kind == OPAQUE
    True
    """
    cdef Graph out
    cdef Described* node
    cdef array.array stored
    cdef int i, j, below
    if not _has(graph, REPEAT, 0):
        return graph
    out = graph.copy()
    stored = array.clone(_ints, graph.count, True)
    for i in range(graph.count):
        node = &graph.nodes[i]
        if not among(node.kind, ONE_LOOP):
            for j in range(node.ninputs):
                stored.data.as_ints[graph.inputs[node.first_input + j]] = True
    for i in range(graph.count):
        node = &out.nodes[i]
        if node.kind != REPEAT:
            continue
        if stored.data.as_ints[i] or node.flags & ESCAPES:
            node.kind = OPAQUE
        else:
            node.kind = VIEW
            below = out.inputs[node.first_input]
            if graph.nodes[below].kind == VIEW:
                out.inputs[node.first_input] = graph.inputs[graph.nodes[below].first_input]
    return out


def beside(Graph graph):
    """Leave updates marked as beside others only where both write what is computed, and nobody sees the one below.

    Examples
    --------
    >>> from lazyarr._core.described import Graph
    >>> from lazyarr.graph.schedule import BESIDE, EMPTY, ESCAPES, LEAF, MAP, UPDATE
    >>> nodes = [(LEAF, (), 0, 8, 0, 0, (), 0), (EMPTY, (), 1, 8, 0, 0, (), 0), (MAP, (0, 0), 0, 8, 0, 5, (8,), 0),
    ...          (UPDATE, (1, 2), 1, 8, 0, 0, (), BESIDE), (UPDATE, (3, 2), 1, 8, ESCAPES, 0, (), BESIDE)]
    >>> [node.attr for node in beside(Graph(nodes))][3:] == [0, BESIDE]
    True
    >>> nodes[3] = UPDATE, (1, 2), 1, 8, ESCAPES, 0, (), BESIDE
    >>> [node.attr for node in beside(Graph(nodes))][3:]
    [0, 0]
    """
    cdef Graph out
    cdef Described* node
    cdef array.array readers
    cdef int i, j
    if not _has(graph, UPDATE, BESIDE):
        return graph
    out = graph.copy()
    readers = array.clone(_ints, graph.count, True)
    for i in range(graph.count):
        node = &graph.nodes[i]
        for j in range(node.ninputs):
            readers.data.as_ints[graph.inputs[node.first_input + j]] += 1
    for i in range(graph.count):
        node = &out.nodes[i]
        if node.kind == UPDATE and node.attr == BESIDE and not (
                readers.data.as_ints[graph.inputs[node.first_input]] == 1 and _both_write_what_is_computed(graph, i)):
            node.attr = 0
    return out


cdef bint _both_write_what_is_computed(Graph graph, int i) noexcept:
    cdef int* inputs = graph.inputs + graph.nodes[i].first_input
    cdef Described* below = &graph.nodes[inputs[0]]
    return (below.kind == UPDATE and not below.flags & ESCAPES
            and among(graph.nodes[inputs[1]].kind, ELEMENTWISE)
            and among(graph.nodes[graph.inputs[below.first_input + 1]].kind, ELEMENTWISE))


cdef bint _has(Graph graph, int kind, int attr) noexcept:
    cdef int i
    for i in range(graph.count):
        if graph.nodes[i].kind == kind and (attr == 0 or graph.nodes[i].attr == attr):
            return True
    return False
