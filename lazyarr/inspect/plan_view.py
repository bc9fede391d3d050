"""The steps of a plan: the nodes that they compute, their memory, and their source lines."""

from __future__ import annotations

import os

from lazyarr._core.introspect.dry_run import Foreseen
from lazyarr._core.ir.step import Step
from lazyarr.compiler.schedule import RESULT


def computed(step: Step) -> list[int]:
    """Return the nodes that a step computes, in order."""
    nodes = [] if step.kind == "tile" else [step.node]
    if step.program:
        nodes += [instruction.node for instruction in step.program.instructions]
        nodes += [fold.node for fold in step.program.folds]
        nodes += step.program.stores
    return [*dict.fromkeys(nodes)]


def members(step: Step, results: dict[int, list[int]]) -> list[int]:
    """Return the node that a step computes and, for a call with several results, these."""
    return [*computed(step), *(results.get(step.node, ()) if step.kind == "opaque" else ())]


def results_of_several(nodes: list[Foreseen]) -> dict[int, list[int]]:
    """Return the results of each node that has several."""
    results: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        if node.kind == RESULT:
            results.setdefault(node.inputs[0], []).append(i)
    return results


def placed(step: Step, nodes: list[Foreseen], results: dict[int, list[int]]) -> list[tuple[int, int | None]]:
    """Return the nodes that get memory in a step, in order, each with the node whose memory it takes over, or None."""
    made: list[tuple[int, int | None]] = []
    if step.kind != "tile":
        changed = nodes[step.node].inputs[0] if step.node in step.in_place else None
        made += [(i, changed) for i in results.get(step.node, [step.node]) if nodes[i].stored]
    if step.program:
        donors = dict(step.donors)
        for k, i in enumerate(step.program.stores):
            if nodes[i].stored:
                made.append((i, nodes[i].inputs[0] if i in step.in_place else donors.get(k)))
        made += [(fold.node, None) for fold in step.program.folds]
    return made


def made_at(node: Foreseen, whole: bool = False) -> str:
    """Return the source line of a node, with the name or path of the file; an empty text if unknown."""
    file, line, function = node.line
    return f"{file if whole else os.path.basename(file)}:{line} in {function}" if line else ""
