"""Drawings of graphs in Graphviz's language."""

from __future__ import annotations

from lazyarr._core.introspect.dry_run import Foreseen
from lazyarr._core.ir.step import Step
from lazyarr.compiler.schedule import LEAF, SCALAR, VIEW
from lazyarr.inspect.memory_report import Block
from lazyarr.inspect.plan_view import made_at, members, results_of_several

COLOURS = ("#8dd3c7", "#ffffb3", "#bebada", "#fb8072", "#80b1d3", "#fdb462", "#b3de69", "#fccde5", "#bc80bd",
           "#ccebc5")
"""Of blocks of memory, in turn: ColorBrewer's Set3 without its grey."""
_ESCAPED = {k: f"\\\\x{k:02x}" for k in range(32) if k not in b"\t\n\r"}  # neither dot nor XML has them
_ESCAPED |= {ord("\\"): "\\\\", ord('"'): '\\"', ord("&"): "&amp;"}
_SHAPES = {LEAF: "box3d", SCALAR: "plain", VIEW: "parallelogram"}


def drawn(nodes: list[Foreseen], steps: list[Step], blocks: list[Block], debug: bool = False) -> str:
    """Draw a graph and its plan; with `debug`, nodes show their source lines."""
    readers = [0] * len(nodes)
    for node in nodes:
        for j in node.inputs:
            readers[j] += 1
    several = results_of_several(nodes)
    block = {i: number for number, block in enumerate(blocks) for i in block.nodes}
    declared = [_declared(i, node, readers[i], block.get(i), debug) for i, node in enumerate(nodes)]
    lines = ["digraph graph_of_arrays {", "  node [style=filled, fillcolor=white, fontname=Helvetica, fontsize=10];"]
    framed: set[int] = set()
    for number, step in enumerate(steps, 1):
        inside = [i for i in members(step, several) if i not in framed]
        framed.update(inside)
        lines += [f"  subgraph cluster_{number} {{", f'    label="step {number}: {step.kind}"; color=grey;']
        lines += [f"    {declared[i]}" for i in inside]
        lines.append("  }")
    lines += [f"  {line}" for i, line in enumerate(declared) if i not in framed]
    lines += [f"  n{j} -> n{i};" for i, node in enumerate(nodes) for j in node.inputs]
    return "\n".join([*lines, "}"]) + "\n"


def _declared(i: int, node: Foreseen, readers: int, block: int | None, debug: bool) -> str:
    lines = [f"{i} {node.name}", f"{node.shape} {node.dtype}", f"{readers} reader{'s' * (readers != 1)}"]
    if debug and (line := made_at(node)):
        lines.append(line)
    style = f", shape={_SHAPES[node.kind]}" if node.kind in _SHAPES else ""
    if block is not None:
        lines.append(f"block {block}")
        style += f', fillcolor="{COLOURS[block % len(COLOURS)]}"'
    if node.wanted:
        style += ", penwidth=2"
    label = "\\n".join(line.translate(_ESCAPED) for line in lines)
    return f'n{i} [label="{label}"{style}];'
