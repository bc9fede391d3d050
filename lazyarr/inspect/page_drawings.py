"""The drawings of a page, as HTML: the graph, the schedule of devices, the timeline of steps, the blocks of memory."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Any

from lazyarr.inspect import formatting
from lazyarr.inspect.dot import COLOURS
from lazyarr.inspect.layered import layered
from lazyarr.inspect.markup import text
from lazyarr.inspect.memory_report import Block

if TYPE_CHECKING:
    from lazyarr.inspect.explain import ExplainedStep, ScheduledItem

LARGE = 150
"""The maximum number of nodes with which steps start open."""

LANE = 30
"""The height of a thread's lane, in pixels."""

STEP = 2
"""The minimum size of a step, in pixels."""

CELL = (150, 50)
"""The width of a column and the height of a lane of the schedule, in pixels."""

ITEM = (120, 38)
"""The size of a part or a copy, in pixels."""


def graph(nodes: list[dict[str, Any]], steps: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> str:
    """Draw rows of boxes: steps with their nodes inside, and nodes outside of steps."""
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
    """Return the name of a team's thread."""
    return f"thread {thread}" if thread else "evaluating thread"


def worked(step: ExplainedStep) -> list[tuple[int, float, float]]:
    """Return number, start and duration of each thread that worked on a measured step."""
    if step.measured is None or step.shares:
        return [*step.shares]
    return [(step.thread or 0, step.began or 0.0, step.measured)]


def schedule(items: list[ScheduledItem]) -> str:
    """Draw parts and copies, in a lane for each device and direction; each is to the right of those it waits for.

    Items in one column may run at the same time. The critical path is in the upper lanes.
    """
    if not items:
        return ""
    critical = critical_path(items)
    space, bold, links = CELL[0] - ITEM[0], {*critical}, {*pairwise(critical)}
    lanes = [*dict.fromkeys(items[i].where for i in [*critical, *range(len(items))])]
    waits = [(j - 1, i) for i, item in enumerate(items) for j in item.after]
    queues: dict[str, list[int]] = {}
    for i, item in enumerate(items):
        queues.setdefault(_thread(item), []).append(i)
    columns = layered(range(len(items)), [*waits, *(pair for queue in queues.values() for pair in pairwise(queue))])
    place = {i: (CELL[0] * column, CELL[1] * lanes.index(items[i].where))
             for column, beside in enumerate(columns) for i in beside}

    def box(i: int) -> str:
        item, (left, top) = items[i], place[i]
        name, size = item_name(items, i), formatting.nbytes(item.nbytes)
        first, second = (size, name) if item.kind == "copy" else (listed(item.operations), f"{name}, {size}")
        after = listed(item_name(items, j - 1) for j in item.after)
        tip = f"{name}: {item.where}\n{first}" + (f"\nwaits for {after}" if after else "")
        return (f'<button class="item {item.kind}{" critical" * (i in bold)}" data-item="{i}" title="{text(tip)}" '
                f'style="left: {left}px; top: {top + 6}px; width: {ITEM[0]}px; height: {ITEM[1]}px">'
                f"{_lines(first, second)}</button>")

    def line(j: int, i: int) -> str:
        (left, above), (right, below) = place[j], place[i]
        left, above, below = left + ITEM[0], above + CELL[1] // 2, below + CELL[1] // 2
        drawn = f"M{left},{above}"
        if right - left > CELL[0]:  # beside the lane that it leads to, where there are no boxes
            beside = below + (CELL[1] // 2 if below < above else -CELL[1] // 2) + 2 * (i % 5 - 2)
            drawn += _curve(left, above, left + space, beside) + f"H{right - space}"
            left, above = right - space, beside
        return (f'<path class="wait{" critical" * ((j, i) in links)}" data-from="{j}" data-to="{i}" '
                f'd="{drawn}{_curve(left, above, right - 1, below)}m-6,-4l6,4l-6,4"/>')

    told = listed(item_name(items, i) for i in critical)
    drawn = [_label("lane", text(lane), f"top: {CELL[1] * number + 20}px") for number, lane in enumerate(lanes)]
    drawn += ['<svg role="img" aria-labelledby="waits-title waits-desc"><title id="waits-title">What waits for what'
              f'</title><desc id="waits-desc">The critical path: {told}</desc>',
              *(line(j, i) for j, i in waits), "</svg>", *map(box, range(len(items)))]
    return ('<h2 id="schedule-title">Schedule: parts and copies by device; arrows lead to what waits; bold: the '
            'critical path, which is the longest chain of waits</h2>\n'
            + _chart("schedule", drawn, CELL[1] * len(lanes), CELL[0] * len(columns)))


def _thread(item: ScheduledItem) -> str:
    """Return the thread that runs an item: one for all parts, and one for each device and direction of copies."""
    to = item.where.split(" -> ")[-1]
    return "parts" if item.kind == "part" else item.where if to == "cpu" else to


def _curve(left: int, above: int, right: int, below: int) -> str:
    middle = (left + right) // 2
    return f"C{middle},{above} {middle},{below} {right},{below}"


def item_name(items: list[ScheduledItem], i: int) -> str:
    """Return the name of a part or copy."""
    return f"{items[i].kind} {i + 1}"


def critical_path(items: list[ScheduledItem]) -> list[int]:
    """Return the longest chain of items that each wait for the one before; of equally long ones, that of most bytes."""
    length: list[tuple[int, int]] = []  # of the longest chain up to each item, and its bytes
    before: list[int | None] = []
    for item in items:
        last = max((j - 1 for j in item.after), key=length.__getitem__, default=None)
        count, nbytes = (0, 0) if last is None else length[last]
        length.append((count + 1, nbytes + item.nbytes))
        before.append(last)
    chain: list[int] = []
    at: int | None = max(range(len(items)), key=length.__getitem__)
    while at is not None:
        chain.append(at)
        at = before[at]
    return chain[::-1]


def timeline(steps: list[ExplainedStep]) -> str:
    """Draw the steps by thread, with measured or expected times, as the title says."""
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
            + _chart("timeline", drawn, lanes * LANE + 14, STEP * len(steps)))


def memory(nodes: list[dict[str, Any]], blocks: list[Block], steps: int) -> str:
    """Draw the blocks of memory, each from the step that allocates it to the last that needs it."""
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
    return _chart("memory", drawn, 220, STEP * steps)


def _chart(name: str, drawn: list[str], height: int, width: int) -> str:
    """Return a plot of at least this size in pixels, below its title."""
    return (f'<div class="chart"><div class="plot" id="{name}" role="group" aria-labelledby="{name}-title" '
            f'style="height: {height}px; min-width: {width}px">\n' + "\n".join(drawn) + "\n</div></div>")


def _label(kind: str, written: str, place: str) -> str:
    return f'<span class="{kind}" style="{place}">{written}</span>'


def _block(style: str, kind: str, number: int, begin: float, width: float, place: str, tip: str) -> str:
    """Return the mark of a step or a block of memory in a plot; begin and width are shares of the plot's width."""
    return (f'<div class="{style}" data-{kind}="{number}" title="{text(tip)}" '
            f'style="left: {100 * begin}%; width: {100 * width}%; {place}"></div>')


def listed(names: Iterable[str]) -> str:
    """Join names, but no more than fit in a few lines."""
    written = ", ".join(names)
    return written if len(written) <= 300 else f"{written[:299]}\u2026"
