"""Explanations as pages for a browser.

Here the data: plain numbers and text, as JSON. What shows them lies beside this file: `page.html`, into which go
`page.css`, `layout.js` (where boxes and lines of the graph lie) and `page.js` (drawing, and what a click does).
"""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

from lazyarr.compiler.schedule import LEAF, SCALAR, VIEW
from lazyarr.inspect import formatting
from lazyarr.inspect.dot import COLOURS
from lazyarr.inspect.plan_view import made_at, members, results_of_several

if TYPE_CHECKING:
    from lazyarr.inspect.explain import Explanation

_ROLES = {LEAF: "array", SCALAR: "constant", VIEW: "view"}


def page(explanation: Explanation) -> str:
    """An explanation as the text of an HTML page, which needs no other file and no network."""
    parts = {name: _file(name) for name in ("page.css", "layout.js", "page.js")}
    parts["data"] = _embedded(page_data(explanation))
    return re.sub(r"\{\{(\S+)\}\}", lambda place: parts[place[1]], _file("page.html"))


def page_data(explanation: Explanation) -> dict[str, Any]:
    """What a page shows.

    Nodes refer to nodes, steps and blocks by position; times are seconds, sizes bytes.
    """
    nodes, plan = explanation.nodes, explanation.plan.steps
    blocks = explanation.blocks
    block_of = {i: number for number, block in enumerate(blocks) for i in block.nodes}
    group = _groups(explanation)
    return {
        "nodes": [{
            "name": node.name, "role": _ROLES.get(node.kind, "operation" if i in group else "unmade"),
            "shape": str(node.shape), "dtype": str(node.dtype), "nbytes": node.nbytes, "inputs": node.inputs,
            "wanted": node.wanted, "group": group.get(i), "block": block_of.get(i),
            "madeAt": made_at(node, whole=True), "label": made_at(node) if explanation.debug else "",
        } for i, node in enumerate(nodes)],
        "steps": [step._asdict() for step in explanation.steps],
        "blocks": [vars(block) | {"colour": COLOURS[number % len(COLOURS)]} for number, block in enumerate(blocks)],
        "summary": f"{formatting.count(len(nodes), 'node')}, {formatting.count(len(plan), 'step')}; "
                   f"{explanation.memory}",
    }


def _groups(explanation: Explanation) -> dict[int, int]:
    """The step that each node is drawn with: that which computes it or, of views and constants, that alone reads it."""
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
    """JSON that nothing in an HTML document takes for anything else, whatever names are in it."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", written)


def _file(name: str) -> str:
    return resources.files("lazyarr.inspect").joinpath(name).read_text(encoding="utf-8")
