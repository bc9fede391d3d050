"""Explanations as pages for a browser.

This module has the details of nodes, steps, blocks and the schedule, as JSON; `page_drawings` has the drawings. Both go
into `page.html`, with `page.css`, and `page.js` for lines between boxes, zooming and clicks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, Any

from lazyarr.compiler.schedule import LEAF, SCALAR, VIEW
from lazyarr.inspect import formatting, markup, page_drawings
from lazyarr.inspect.dot import COLOURS
from lazyarr.inspect.page_drawings import item_name, listed, thread_name, worked
from lazyarr.inspect.plan_view import made_at, members, results_of_several

if TYPE_CHECKING:
    from lazyarr.inspect.explain import Explanation, ScheduledItem

_ROLES = {LEAF: "array", SCALAR: "constant", VIEW: "view"}
_UNMADE = "operation that no step computes: an equal one is, or readers do it themselves"
_MOST = 50  # nodes or items that one list has


def page(explanation: Explanation) -> str:
    """Return an explanation as an HTML page, which needs no other files and no network."""
    data = page_data(explanation)
    steps = explanation.steps
    parts = {
        "page.css": _file("page.css"), "page.js": _file("page.js"), "data": _embedded(data),
        "summary": markup.text(f"{formatting.count(len(data['nodes']), 'node')}, "
                               f"{formatting.count(len(steps), 'step')}; {explanation.memory}"),
        "hint": "Click on a node, a step or a block." if data["nodes"] else "Nothing to evaluate.",
        "graph": page_drawings.graph(data["nodes"], data["steps"], data["blocks"]),
        "schedule": page_drawings.schedule(_schedule(explanation)),
        "timeline": page_drawings.timeline(steps),
        "memory": page_drawings.memory(data["nodes"], explanation.blocks, len(steps)),
    }
    return re.sub(r"\{\{(\S+)\}\}", lambda place: parts[place[1]], _file("page.html"))


def page_data(explanation: Explanation) -> dict[str, list[dict[str, Any]]]:
    """Return the details of nodes, steps, blocks and items of the schedule, which refer to each other by position.

    ``rows`` has the details of each: names with texts, or with lists of texts and references such as ``{"node": 3}``.
    """
    nodes = explanation.nodes
    block_of = {i: number for number, block in enumerate(explanation.blocks) for i in block.nodes}
    group = _groups(explanation)
    users: list[list[int]] = [[] for _ in nodes]
    inside: list[list[int]] = [[] for _ in explanation.steps]
    for i, node in enumerate(nodes):
        for j in dict.fromkeys(node.inputs):
            users[j].append(i)
        if i in group:
            inside[group[i]].append(i)
    told = []
    for i, node in enumerate(nodes):
        role = _ROLES.get(node.kind, "operation" if i in group else "unmade")
        told.append({
            "name": node.name, "role": role, "shape": str(node.shape), "dtype": str(node.dtype), "inputs": node.inputs,
            "wanted": node.wanted, "group": group.get(i), "block": block_of.get(i),
            "label": made_at(node) if explanation.debug else "",
            "rows": _rows(
                ("id", str(i)), ("kind", _UNMADE if role == "unmade" else role), ("shape", str(node.shape)),
                ("dtype", str(node.dtype)), ("bytes", formatting.nbytes(node.nbytes)),
                ("made at", made_at(node, whole=True)), ("wanted", "yes, its value is kept" if node.wanted else ""),
                ("step", [{"step": group[i]}] if i in group else ""),
                ("memory", [{"block": block_of[i]}] if i in block_of else ""),
                ("inputs", _references(node.inputs)), ("users", _references(users[i]))),
        })
    steps = [{
        "name": f"step {k + 1}: {step.kind}", "kind": step.kind, "nodes": inside[k],
        "rows": _rows(
            ("operations", listed(step.operations)), ("reads", formatting.nbytes(step.read)),
            ("writes", formatting.nbytes(step.written)), ("expected", formatting.seconds(step.expected) or "not known"),
            ("measured", formatting.seconds(step.measured) or "not known"),
            ("threads", ", ".join(f"{thread_name(t)}: {formatting.seconds(taken)}" for t, _, taken in worked(step))),
            ("made at", listed(step.lines)), ("nodes", _references(inside[k]))),
    } for k, step in enumerate(explanation.steps)]
    blocks = [{
        "name": f"block {b}", "nodes": block.nodes, "colour": COLOURS[b % len(COLOURS)],
        "rows": _rows(("bytes", formatting.nbytes(block.nbytes)), ("from", [{"step": block.first}]),
                      ("to", [{"step": block.last}]), ("nodes", _references(block.nodes))),
    } for b, block in enumerate(explanation.blocks)]
    return {"nodes": told, "steps": steps, "blocks": blocks, "items": _items(_schedule(explanation))}


def _schedule(explanation: Explanation) -> list[ScheduledItem]:
    """Return the schedule if there is more than one device."""
    devices = {device for item in explanation.schedule for device in item.where.split(" -> ")}
    return explanation.schedule if len(devices) > 1 else []


def _items(schedule: list[ScheduledItem]) -> list[dict[str, Any]]:
    waiting: list[list[int]] = [[] for _ in schedule]
    for i, item in enumerate(schedule):
        for j in item.after:
            waiting[j - 1].append(i)
    return [{
        "name": item_name(schedule, i),
        "rows": _rows(("where", item.where), ("operations", listed(item.operations)),
                      ("bytes", formatting.nbytes(item.nbytes)),
                      ("waits for", _references([j - 1 for j in item.after], "item")),
                      ("waited for by", _references(waiting[i], "item"))),
    } for i, item in enumerate(schedule)]


def _rows(*pairs: tuple[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in pairs if value]


def _references(numbers: Sequence[int], kind: str = "node") -> list[Any]:
    more = len(numbers) - _MOST
    return [*({kind: i} for i in numbers[:_MOST]), *([f"and {more} more"] if more > 0 else [])]


def _groups(explanation: Explanation) -> dict[int, int]:
    """Return the step that each node is drawn in: the one that computes it or, of views and constants, their reader."""
    nodes = explanation.nodes
    several = results_of_several(nodes)
    group: dict[int, int] = {}
    for number, step in enumerate(explanation.plan.steps):
        for i in members(step, several):
            group.setdefault(i, number)
    readers: list[set[int | None]] = [set() for _ in nodes]
    for i in reversed(range(len(nodes))):
        node = nodes[i]
        if i not in group and node.kind in (SCALAR, VIEW) and not node.wanted and len(readers[i]) == 1:
            [alone] = readers[i]
            if alone is not None:
                group[i] = alone
        for j in node.inputs:
            readers[j].add(group.get(i))
    return group


def _embedded(data: dict[str, Any]) -> str:
    """Return JSON that is safe inside an HTML document."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", written)


def _file(name: str) -> str:
    return resources.files("lazyarr.inspect").joinpath(name).read_text(encoding="utf-8")
