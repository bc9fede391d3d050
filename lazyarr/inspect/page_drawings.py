"""What a page draws, as HTML: the graph, the steps in time, and the blocks of memory."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lazyarr.inspect import formatting
from lazyarr.inspect.dot import COLOURS
from lazyarr.inspect.layered import layered
from lazyarr.inspect.memory_report import Block

if TYPE_CHECKING:
    from lazyarr.inspect.explain import ExplainedStep

LARGE = 150
"""Nodes; larger graphs begin with their steps closed."""

LANE = 30
"""Pixels of a thread."""


def text(written: str) -> str:
    """Text as it stands in a document, whatever names are in it."""
    return html.escape(written).encode("ascii", "xmlcharrefreplace").decode()


def graph(nodes: list[dict[str, Any]], steps: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> str:
    """Rows of boxes: nodes outside steps, and steps, in which lie the nodes that they are drawn with."""
    opened = " open" if len(nodes) <= LARGE else ""

    def drawn_node(i: int) -> str:
        node, styles, colour = nodes[i], "", ""
        if node["block"] is not None:
            styles, colour = " placed", f' style="background: {blocks[node["block"]]["colour"]}"'
        styles += " wanted" if node["wanted"] else ""
        lines = _lines(f"{i} {node['name']}", f"{node['shape']} {node['dtype']}", node["label"])
        return f'<div class="node {node["role"]}{styles}" data-node="{i}"{colour}>{lines}</div>'

    def drawn_step(k: int) -> str:
        inside, names = steps[k]["nodes"], dict(steps[k]["rows"])["operations"]
        count = sum(nodes[i]["role"] == "operation" for i in inside)
        lines = _lines(steps[k]["name"], names, formatting.count(count, "operation"))
        rows = layered(inside, [(j, i) for i in inside for j in nodes[i]["inputs"]])
        return (f'<details class="step {steps[k]["kind"]}" data-step="{k}" title="{text(names)}"{opened}>'
                f"<summary>{lines}</summary>\n{_rows(map(drawn_node, row) for row in rows)}</details>")

    # The box of a step has a number below zero.
    home = [i if node["group"] is None else -1 - node["group"] for i, node in enumerate(nodes)]
    rows = layered([*dict.fromkeys(home)], [(home[j], home[i]) for i, node in enumerate(nodes) for j in node["inputs"]])
    return _rows([drawn_node(box) if box >= 0 else drawn_step(-1 - box) for box in row] for row in rows)


def _rows(rows: Iterable[Iterable[str]]) -> str:
    return "".join(f'<div class="row">{"".join(boxes)}</div>\n' for boxes in rows)


def _lines(first: str, *others: str) -> str:
    return text(first) + "".join(f"<small>{text(line)}</small>" for line in others if line)


def thread_name(thread: int) -> str:
    """A thread of a team, by its number."""
    return f"thread {thread}" if thread else "evaluating thread"


def worked(step: ExplainedStep) -> list[tuple[int, float, float]]:
    """Number, begin and seconds of each thread that worked on a step, where that was measured."""
    if step.measured is None or step.shares:
        return [*step.shares]
    return [(step.thread or 0, step.began or 0.0, step.measured)]


def timeline(steps: list[ExplainedStep]) -> str:
    """The steps by thread, as measured or as expected, under a title that says which."""
    measured = bool(steps) and all(step.measured is not None for step in steps)
    known = [step.expected for step in steps if step.expected is not None]
    usual, end, lanes = fmean(known or [1.0]), 0.0, 0
    spans = []
    for step in steps:
        taken = step.measured if measured else step.expected
        spans.append((step.began or 0.0 if measured else end, usual if taken is None else taken))
        end = max(end, sum(spans[-1]))
        lanes = max(lanes, 1, *(thread + 1 for thread, _, _ in worked(step)))
    end = end or 1.0  # where no step takes time
    drawn = [_label("lane", thread_name(lane), f"top: {lane * LANE + 10}px") for lane in range(lanes)]
    if known or measured:
        drawn += [_label("tick", formatting.seconds(end * k / 5), f"left: {20 * k}%") for k in range(6)]

    def bar(style: str, k: int, lane: int, began: float, taken: float, told: str) -> str:
        return _block(f"{style} {steps[k].kind}", "step", k, began / end, taken / end, f"top: {lane * LANE + 8}px",
                      f"step {k + 1}: {steps[k].kind}\n{listed(steps[k].operations)}\n{told}")

    for k, (step, (began, taken)) in enumerate(zip(steps, spans, strict=True)):
        unknown = not measured and step.expected is None
        drawn.append(bar("bar unknown" if unknown else "bar whole" if step.shares else "bar", k, step.thread or 0,
                         began, taken, "time not known" if unknown else formatting.seconds(taken)))
        drawn += [bar("share", k, thread, at, lasted, f"{thread_name(thread)}: {formatting.seconds(lasted)}")
                  for thread, at, lasted in step.shares]
    title = ("as measured in the last profiled evaluation" if measured else
             "as expected (on one thread; pale where nothing is known)")
    return (f'<h2 id="timeline-title">Timeline: steps by thread, {title}</h2>\n'
            + _chart("timeline", drawn, lanes * LANE + 14, len(steps)))


def memory(nodes: list[dict[str, Any]], blocks: list[Block], steps: int) -> str:
    """The blocks of memory, from the step that takes one to the last that needs it."""
    top = max((block.offset + block.nbytes for block in blocks), default=0) or 1
    drawn = []
    if blocks:
        drawn += [_label("level", formatting.nbytes(top * k / 4), f"bottom: {25 * k}%") for k in range(5)]
        drawn += [_label("number", str(k + 1), f"left: {100 * (k + 0.5) / steps}%")
                  for k in range(0, steps, math.ceil(steps / 25))]
    for b, block in enumerate(blocks):
        place = (f"bottom: {100 * block.offset / top}%; height: {100 * block.nbytes / top}%; "
                 f"background: {COLOURS[b % len(COLOURS)]}")
        drawn.append(_block("block", "block", b, block.first / steps, (block.last + 1 - block.first) / steps, place,
                            f"block {b}, {formatting.nbytes(block.nbytes)}, steps {block.first + 1} to "
                            f"{block.last + 1}\n" + listed(f"{i} {nodes[i]['name']}" for i in block.nodes)))
    return _chart("memory", drawn, 220, steps)


def _chart(name: str, drawn: list[str], height: int, steps: int) -> str:
    """A plot in which each step has two pixels at least."""
    return (f'<div class="chart"><div class="plot" id="{name}" style="height: {height}px; min-width: {2 * steps}px">\n'
            + "\n".join(drawn) + "\n</div></div>")


def _label(kind: str, written: str, place: str) -> str:
    return f'<span class="{kind}" style="{place}">{written}</span>'


def _block(style: str, kind: str, number: int, begin: float, width: float, place: str, tip: str) -> str:
    """A part of a plot that stands for a step or a block of memory; begin and width are parts of the plot's."""
    return (f'<div class="{style}" data-{kind}="{number}" title="{text(tip)}" '
            f'style="left: {100 * begin}%; width: {100 * width}%; {place}"></div>')


def listed(names: Iterable[str]) -> str:
    """Names one after the other, but no more than fit a few lines."""
    written = ", ".join(names)
    return written if len(written) <= 300 else f"{written[:299]}\u2026"
