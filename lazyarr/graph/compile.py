"""From the core's description of a graph to its plan: the passes, in order."""

from __future__ import annotations

from lazyarr._core import api as core
from lazyarr._core.described import Graph
from lazyarr.graph.programs import Step
from lazyarr.graph.rewrite import beside, common_subexpressions, repeats
from lazyarr.graph.schedule import schedule
from lazyarr.graph.verify import verify


def compile_graph(described: Graph) -> tuple[list[Step], list[tuple[int, int]]]:
    """Steps that evaluate the graph, and the nodes that are computed as another one.

    Parameters
    ----------
    described : Graph
        What is said of each node, inputs before the nodes that read them.
    """
    graph, aliases = rewritten(described)
    steps = schedule(graph)
    if core.DEBUG:
        verify(graph, steps)
    return steps, aliases


def rewritten(described: Graph) -> tuple[Graph, list[tuple[int, int]]]:
    """The graph that is scheduled, and the nodes that are computed as another one."""
    graph, aliases = common_subexpressions(described)
    return beside(repeats(graph)), aliases


core.set_hook("schedule", compile_graph)
