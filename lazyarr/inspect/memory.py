"""What the values of an evaluation take in memory, simulated from its plan."""

from __future__ import annotations

from typing import NamedTuple

from lazyarr._core.foreseen import Foreseen
from lazyarr.graph.programs import Step
from lazyarr.graph.schedule import LEAF, RESULT, SCALAR, VIEW
from lazyarr.inspect import text


class Memory(NamedTuple):
    """Bytes of computed values, results included, arrays that are there before not: they are the caller's.

    Attributes
    ----------
    naive : int
        If each operation's result had memory of its own until the end.
    planned : int
        The most there is at once: results of fused operations never reach memory, what dies gives its memory away.
    lower_bound : int
        The largest set of values that are wanted between two steps: no memory plan for this order of steps takes less.

    Notes
    -----
    What kernels and the bodies of loops take for themselves while they run is not part of it.
    """

    naive: int
    planned: int
    lower_bound: int

    def __str__(self) -> str:
        return (f"every value kept {text.nbytes(self.naive)}, at most at once {text.nbytes(self.planned)}, "
                f"least possible {text.nbytes(self.lower_bound)}")


def plan_memory(nodes: list[Foreseen], steps: list[Step]) -> Memory:
    """The memory that a plan takes, if all that it may overwrite is overwritten."""
    results = results_of_several(nodes)
    live: dict[int, int] = {}    # bytes by the node that has them
    planned = lower_bound = 0
    for step in steps:
        for i, source in placed(step, nodes, results):
            live[i] = live.pop(source) if source in live else nodes[i].nbytes
        planned = max(planned, sum(live.values()))
        for i in step.frees:
            live.pop(i, None)
        lower_bound = max(lower_bound, sum(live.values()))
    naive = sum(node.nbytes for i, node in enumerate(nodes)
                if node.kind not in (LEAF, SCALAR, VIEW) and i not in results)
    return Memory(naive, planned, lower_bound)


def results_of_several(nodes: list[Foreseen]) -> dict[int, list[int]]:
    """The results of each node that has several."""
    results: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        if node.kind == RESULT:
            results.setdefault(node.inputs[0], []).append(i)
    return results


def placed(step: Step, nodes: list[Foreseen], results: dict[int, list[int]]) -> list[tuple[int, int | None]]:
    """The nodes that get memory in a step, in order, each with the one whose memory it takes over, or None."""
    made: list[tuple[int, int | None]] = []
    if step.kind != "tile":
        changed = nodes[step.node].inputs[0] if step.node in step.in_place else None
        made += [(i, changed) for i in results.get(step.node, [step.node])]
    if step.program:
        donors = dict(step.donors)
        for k, i in enumerate(step.program[3]):
            made.append((i, nodes[i].inputs[0] if i in step.in_place else donors.get(k)))
        made += [(node, None) for _, _, node in step.program[5]]
    return made
