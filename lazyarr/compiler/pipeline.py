"""The passes from the core's description of a graph to its plan, in order."""

from __future__ import annotations

from lazyarr._core import api as core
from lazyarr._core.ir.graph_ir import Graph
from lazyarr._core.ir.step import Step
from lazyarr.compiler.rewrite_rules import current
from lazyarr.compiler.schedule import ESCAPES, schedule
from lazyarr.compiler.simplify import simplify
from lazyarr.compiler.view_rewrites import beside, repeats

CHANGES = (("repeats", repeats), ("beside", beside))
"""Passes on the simplified graph, before scheduling."""


def compile_graph(described: Graph) -> tuple[list[Step], list[tuple[int, int]], list[str]]:
    """Return the steps that evaluate the graph, its aliases (node, replacement), and the names of the applied rules.

    Parameters
    ----------
    described : Graph
        The description of each node, inputs before their readers.
    """
    if not len(described):
        return [], [], []
    graph, aliases, applied = simplify(described)
    for _, change in CHANGES:
        graph = change(graph)
    steps = schedule(graph)
    if core.DEBUG:
        from lazyarr.compiler.verify import verify
        verify(graph, steps)
    rules = current()
    return steps, aliases, [rules[rule].name for rule in applied]


def counts(described: Graph) -> dict[str, tuple[int, int]]:
    """Count nodes and edges before and after each pass; finally, count steps and the inputs they read.

    Examples
    --------
    >>> from lazyarr._core.ir.inner_loops import loop_number
    >>> from lazyarr.compiler.schedule import ESCAPES, LEAF, MAP
    >>> a, add, hypot = (LEAF, (), 0, 8, 0, 0, (), 0), loop_number("add", "ddd"), loop_number("hypot", "ddd")
    >>> twice, total = (MAP, (0, 0), 0, 8, 0, add, (8,), 0), (MAP, (1, 2), 0, 8, ESCAPES, hypot, (8,), 0)
    >>> counts(Graph([a, twice, twice, total]))
    {'built': (4, 6), 'simplify': (3, 4), 'repeats': (3, 4), 'beside': (3, 4), 'steps': (1, 1)}
    """
    graph, _, _ = simplify(described)
    found = {"built": _counted(described), "simplify": _counted(graph)}
    for name, change in CHANGES:
        graph = change(graph)
        found[name] = _counted(graph)
    steps = schedule(graph)
    reads = [{*step.program.loads} if step.program else {*graph[step.node].inputs} for step in steps]
    return found | {"steps": (len(steps), sum(map(len, reads)))}


def _counted(graph: Graph) -> tuple[int, int]:
    """Count the live nodes and their edges."""
    wanted = [bool(node.flags & ESCAPES) for node in graph]
    edges = 0
    for i in range(len(graph) - 1, -1, -1):
        if wanted[i]:
            edges += len(graph[i].inputs)
            for j in graph[i].inputs:
                wanted[j] = True
    return sum(wanted), edges


core.set_hook("schedule", compile_graph)
