"""From the core's description of a graph to its plan: the passes, in order."""

from __future__ import annotations

from lazyarr._core import api as core
from lazyarr._core.described import Graph
from lazyarr.graph.programs import Step
from lazyarr.graph.rewrite import beside, repeats
from lazyarr.graph.rules import RULES
from lazyarr.graph.schedule import schedule
from lazyarr.graph.simplify import simplify
from lazyarr.graph.verify import verify


def compile_graph(described: Graph) -> tuple[list[Step], list[tuple[int, int]], list[str]]:
    """Steps that evaluate the graph, the nodes that are computed as another one, and the rules that were applied.

    Parameters
    ----------
    described : Graph
        What is said of each node, inputs before the nodes that read them.
    """
    graph, aliases, applied = rewritten(described)
    steps = schedule(graph)
    if core.DEBUG:
        verify(graph, steps)
    return steps, aliases, [RULES[rule].name for rule in applied]


def rewritten(described: Graph) -> tuple[Graph, list[tuple[int, int]], list[int]]:
    """The graph that is scheduled, the nodes that are computed as another one, and the rules that were applied."""
    graph, aliases, applied = simplify(described)
    return beside(repeats(graph)), aliases, applied


core.set_hook("schedule", compile_graph)
