"""Graphs as drawings in the language of Graphviz."""

from __future__ import annotations

from lazyarr._core.foreseen import Foreseen
from lazyarr.graph.programs import Step
from lazyarr.graph.schedule import LEAF, SCALAR, VIEW
from lazyarr.inspect.steps import computed, placed, results_of_several

_COLOURS = ("#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3", "#fdb462", "#b3de69", "#fccde5", "#bc80bd",
            "#ccebc5")
"""ColorBrewer's Set3 without its grey."""
_SHAPES = {LEAF: "box3d", SCALAR: "plain", VIEW: "parallelogram"}


def drawn(nodes: list[Foreseen], steps: list[Step]) -> str:
    """A graph and its plan as a drawing."""
    readers = [0] * len(nodes)
    for node in nodes:
        for j in node.inputs:
            readers[j] += 1
    several = results_of_several(nodes)
    block = blocks(nodes, steps, several)
    lines = ["digraph graph_of_arrays {", "  node [style=filled, fillcolor=white, fontname=Helvetica, fontsize=10];"]
    framed: set[int] = set()
    for number, step in enumerate(steps, 1):
        members = [*computed(step), *(several.get(step.node, ()) if step.kind == "opaque" else ())]
        framed.update(members)
        lines += [f"  subgraph cluster_{number} {{", f'    label="step {number}: {step.kind}"; color=grey;']
        lines += [f"    {_declared(i, nodes[i], readers[i], block.get(i))}" for i in members]
        lines.append("  }")
    lines += [f"  {_declared(i, node, readers[i], None)}" for i, node in enumerate(nodes) if i not in framed]
    lines += [f"  n{j} -> n{i};" for i, node in enumerate(nodes) for j in node.inputs]
    return "\n".join([*lines, "}"]) + "\n"


def blocks(nodes: list[Foreseen], steps: list[Step], several: dict[int, list[int]]) -> dict[int, int]:
    """The number of the memory block of each node that has one; what takes memory over has its block."""
    found: dict[int, int] = {}
    count = 0
    for step in steps:
        for i, source in placed(step, nodes, several):
            if source in found:
                found[i] = found[source]
            else:
                found[i] = count
                count += 1
    return found


def _declared(i: int, node: Foreseen, readers: int, block: int | None) -> str:
    lines = [f"{i} {node.name}", f"{node.shape} {node.dtype}", f"{readers} reader{'s' * (readers != 1)}"]
    style = f", shape={_SHAPES[node.kind]}" if node.kind in _SHAPES else ""
    if block is not None:
        lines.append(f"block {block}")
        style += f', fillcolor="{_COLOURS[block % len(_COLOURS)]}"'
    if node.wanted:
        style += ", penwidth=2"
    label = "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return f'n{i} [label="{label}"{style}];'
