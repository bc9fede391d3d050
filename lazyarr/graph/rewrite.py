"""Rewrites of a described graph, before it is scheduled.

A rewrite returns the graph with some nodes standing for others. Positions do not change; a node that is no longer
needed is left behind as a leaf nobody reads.
"""

from __future__ import annotations

from collections import Counter

from lazyarr.graph.schedule import (
    BESIDE,
    ELEMENTWISE,
    ESCAPES,
    LEAF,
    ONE_LOOP,
    OPAQUE,
    REDUCE,
    REPEAT,
    UPDATE,
    VIEW,
    NodeInfo,
    base,
)

READERS = ELEMENTWISE | {REDUCE}
"""Kinds that read their inputs as operands of a tile program."""

UNREAD = NodeInfo(LEAF, (), 0, 0, 0, 0, (), 0)


def common_subexpressions(graph: list[NodeInfo]) -> tuple[list[NodeInfo], list[tuple[int, int]]]:
    """Compute equal elementwise expressions once.

    Returns
    -------
    graph : list of NodeInfo
    aliases : list of (int, int)
        Nodes left out, each with the node computed in its place: floating-point errors of the one are reported for
        the other too, under the errstate and the line it was made with.

    Examples
    --------
    >>> from lazyarr.graph.schedule import MAP
    >>> a = NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0)
    >>> twice = [NodeInfo(MAP, (0, 0), 0, 8, 0, 5, (8,), 0) for _ in range(2)]
    >>> product = NodeInfo(MAP, (1, 2), 0, 8, ESCAPES, 6, (8,), 0)
    >>> graph, aliases = common_subexpressions([a, *twice, product])
    >>> graph[3].inputs, aliases
    ((1, 1), [(2, 1)])
    """
    # views, updates and calls reach for the very node they were made on
    by_identity = {j for node in graph if node.kind not in READERS for j in node.inputs}
    seen: dict[tuple, int] = {}
    stands_for = list(range(len(graph)))
    aliases = []
    out = []
    for i, node in enumerate(graph):
        renamed = node._replace(inputs=tuple(stands_for[j] for j in node.inputs)) if node.inputs else node
        if node.kind in ONE_LOOP and len(node.outs) == 1:
            key = (node.kind, renamed.inputs, node.shape, node.loop, node.attr)
            first = seen.setdefault(key, i)
            if first != i and not node.flags & ESCAPES and i not in by_identity:
                stands_for[i] = first
                aliases.append((i, first))
                renamed = UNREAD
        out.append(renamed)
    return out, aliases


def repeats(graph: list[NodeInfo]) -> list[NodeInfo]:
    """Repeat elements while they are read where only elementwise operations read them; let a kernel do it elsewhere.

    The first are like views of what they repeat: a tile program reads through them.

    Examples
    --------
    >>> from lazyarr.graph.schedule import MAP
    >>> a = NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0)
    >>> twice = NodeInfo(REPEAT, (0,), 1, 8, 0, 0, (), 2)
    >>> total = NodeInfo(MAP, (1, 1), 1, 8, ESCAPES, 5, (8,), 0)
    >>> repeats([a, twice, total])[1].kind == VIEW
    True
    >>> repeats([a, twice._replace(flags=ESCAPES), total])[1].kind == OPAQUE
    True
    """
    stored = {j for node in graph if node.kind not in ONE_LOOP for j in node.inputs}
    out = []
    for i, node in enumerate(graph):
        if node.kind == REPEAT and (i in stored or node.flags & ESCAPES):
            node = node._replace(kind=OPAQUE)
        elif node.kind == REPEAT:
            node = node._replace(kind=VIEW, inputs=(base(graph, node.inputs[0]),))
        out.append(node)
    return out


def beside(graph: list[NodeInfo]) -> list[NodeInfo]:
    """Leave updates marked as beside others only where both write what is computed, and nobody sees the one below.

    Examples
    --------
    >>> from lazyarr.graph.schedule import EMPTY, MAP
    >>> a, whole = NodeInfo(LEAF, (), 0, 8, 0, 0, (), 0), NodeInfo(EMPTY, (), 1, 8, 0, 0, (), 0)
    >>> double = NodeInfo(MAP, (0, 0), 0, 8, 0, 5, (8,), 0)
    >>> first = NodeInfo(UPDATE, (1, 2), 1, 8, 0, 0, (), BESIDE)
    >>> second = first._replace(inputs=(3, 2), flags=ESCAPES)
    >>> [node.attr for node in beside([a, whole, double, first, second])[3:]] == [0, BESIDE]
    True
    >>> [node.attr for node in beside([a, whole, double, first._replace(flags=ESCAPES), second])[3:]]
    [0, 0]
    """
    if not any(node.kind == UPDATE and node.attr == BESIDE for node in graph):
        return graph
    readers = Counter(j for node in graph for j in node.inputs)

    def joins(node):
        below, value = node.inputs
        other = graph[below]
        return (other.kind == UPDATE and readers[below] == 1 and not other.flags & ESCAPES
                and graph[value].kind in ELEMENTWISE and graph[other.inputs[1]].kind in ELEMENTWISE)

    return [node._replace(attr=0) if node.kind == UPDATE and node.attr == BESIDE and not joins(node) else node
            for node in graph]
