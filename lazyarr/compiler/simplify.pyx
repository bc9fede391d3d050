"""Expressions are computed in the simplest form, and once.

A rewrite of a described graph, before it is scheduled: in the returned graph some nodes stand for other ones, or are
computed differently. Positions do not change; a node that is no longer needed is left behind as a dead leaf.

Each node is visited once, behind its operands: rules are applied to it until none fits, then it is looked for among
those before it. Rules look down, at operands that are as simple as they get and the first of their kind, and change
nothing above. So what has been visited stays as it is, and a second walk would find nothing to do.
"""
from libc.stdint cimport uint64_t
from libc.string cimport memcmp

from lazyarr._core.ir.graph_ir cimport Described, Graph
from lazyarr._core.ir.kinds cimport ONE_LOOP, among
from lazyarr._core.ir.node cimport LEAF, MAP, REDUCE, SCALAR, VIEW
from lazyarr.compiler.pattern_matcher cimport Matcher


def simplify(Graph graph):
    """Apply rewrite rules; compute equal elementwise expressions, and equal folds, once; read equal views and constants
    as one.

    Returns
    -------
    graph : Graph
    aliases : list of (int, int)
        Nodes left out, each with the node computed in its place: floating-point errors of the one are reported for
        the other too, under the errstate and the line it was made with.
    applied : list of int
        The rules that were applied, by their places in `rules.RULES`.

    Examples
    --------
    >>> from lazyarr._core.ir.graph_ir import Graph
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> from lazyarr.compiler.schedule import ESCAPES, LEAF, MAP
    >>> a = LEAF, (), 0, 8, 0, 0, (), 0
    >>> twice = MAP, (0, 0), 0, 8, 0, loop_number("add", "ddd"), (8,), 0
    >>> product = MAP, (1, 2), 0, 8, ESCAPES, loop_number("hypot", "ddd"), (8,), 0
    >>> graph, aliases, _ = simplify(Graph([a, twice, twice, product]))
    >>> graph[3].inputs, aliases
    ((1, 1), [(2, 1)])
    """
    cdef Graph out = graph.copy()
    cdef Matcher matcher = Matcher(out)
    cdef list aliases = []
    cdef int* instead = graph.ints(graph.count)
    cdef int* table
    cdef Described* node
    cdef int i, j, first, room = 16
    while room < 2 * graph.count:
        room *= 2
    table = graph.ints(room)
    for i in range(graph.count):
        node = &out.nodes[i]
        for j in range(node.ninputs):
            node.inputs[j] = instead[node.inputs[j]]
        instead[i] = i
        if among(node.kind, 1 << VIEW | 1 << SCALAR):
            instead[i] = node.like
            if node.like != i:
                out.nodes[node.like].mark |= node.mark
                matcher.readers[node.like] += matcher.readers[i]
                matcher.readers[i] = 0
        if not (among(node.kind, ONE_LOOP) and node.nouts == 1 or node.kind == REDUCE and not node.attr):
            continue
        if node.kind == MAP:
            instead[i] = matcher.rewrite(i)
            if instead[i] != i:
                continue
        first = _find_equal(out, i, table, room)
        if first != i and not matcher.fixed[i]:
            instead[i] = first
            aliases.append((i, first))
            matcher.replace(i, first)
    return out, aliases, matcher.applied


cdef int _find_equal(Graph graph, int i, int* table, int room) noexcept:
    """The first node that computes what node i does; node i itself is entered if there is none before it."""
    cdef Described* node = &graph.nodes[i]
    cdef Described* other
    cdef uint64_t h = <uint64_t>node.loop * 31 + node.kind + node.axes
    cdef int j, at, left_out = -1
    for j in node.inputs[:node.ninputs]:
        h = (h ^ <uint64_t>j) * 0x9E3779B97F4A7C15ULL
    at = <int>(h >> 32) & (room - 1)
    while table[at]:
        other = &graph.nodes[table[at] - 1]
        if other.kind == LEAF and left_out < 0:
            left_out = at
        if other.kind == node.kind and other.loop == node.loop and other.shape == node.shape \
                and other.attr == node.attr and other.axes == node.axes and other.ninputs == node.ninputs \
                and memcmp(other.inputs, node.inputs, node.ninputs * sizeof(int)) == 0:
            return table[at] - 1
        at = (at + 1) & (room - 1)
    table[at if left_out < 0 else left_out] = i + 1
    return i
