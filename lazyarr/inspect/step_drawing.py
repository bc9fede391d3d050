"""A small drawing of a plan's steps for notebooks: rows of boxes, each below those whose results it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lazyarr.inspect import formatting
from lazyarr.inspect.layered import layered
from lazyarr.inspect.markup import text
from lazyarr.inspect.plan_view import members, results_of_several

if TYPE_CHECKING:
    from lazyarr._core.ir.step import Step
    from lazyarr.inspect.explain import Explanation

MOST_STEPS = 12
"""The maximum number of steps to draw; the page of an explanation draws all."""

COLOURS = {"tile": 0, "opaque": 1, "epilogue": 2}
"""Of the kinds of steps, as on the page; others are grey, 3."""

_LETTERS = 24       # of a label
_LETTER = 6.4       # pixels, about
_HEIGHT, _GAP, _SPACE = 22.0, 16.0, 14.0


def reads(explanation: Explanation) -> list[tuple[int, int]]:
    """Return pairs of steps of which the second reads a result of the first, possibly through views."""
    nodes, steps = explanation.nodes, explanation.plan.steps
    several = results_of_several(nodes)
    home: dict[int, int] = {}
    for k, step in enumerate(steps):
        for i in members(step, several):
            home.setdefault(i, k)

    def makers(step: Step) -> Iterable[int]:
        todo = [*step.program.loads] if step.program else []
        todo += nodes[step.node].inputs if step.kind != "tile" else ()
        seen: set[int] = set()
        while todo:
            i = todo.pop()
            if i in home:
                yield home[i]
            elif i not in seen:
                seen.add(i)
                todo += nodes[i].inputs

    pairs = ((j, k) for k, step in enumerate(steps) for j in makers(step))
    return [(j, k) for j, k in dict.fromkeys(pairs) if j != k]


def drawing(explanation: Explanation) -> str:
    """Draw the steps as an SVG; return an empty text for a single step or very many."""
    steps = explanation.steps
    if not 1 < len(steps) <= MOST_STEPS:
        return ""
    pairs = reads(explanation)
    labels = [_label(k, step.operations or (step.kind,)) for k, step in enumerate(steps)]
    widths = [_LETTER * len(label) + 16 for label in labels]
    rows = layered(range(len(steps)), pairs)
    lengths = [sum(widths[k] for k in row) + _SPACE * (len(row) - 1) for row in rows]
    middle: dict[int, tuple[float, float]] = {}
    for number, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        x = (max(lengths) - length) / 2 + 1
        for k in row:
            middle[k] = (x + widths[k] / 2, 1 + number * (_HEIGHT + _GAP))
            x += widths[k] + _SPACE
    lines = [_line(middle[j], middle[k]) for j, k in pairs]
    boxes = [f'<rect class="lazyarr-kind-{COLOURS.get(step.kind, 3)}" x="{middle[k][0] - widths[k] / 2:.1f}" '
             f'y="{middle[k][1]:.1f}" width="{widths[k]:.1f}" height="{_HEIGHT}" rx="5"/>'
             f'<text x="{middle[k][0]:.1f}" y="{middle[k][1] + 15:.1f}" text-anchor="middle" fill="currentColor">'
             f"{text(labels[k])}</text>" for k, step in enumerate(steps)]
    size = max(lengths) + 2, 2 + len(rows) * (_HEIGHT + _GAP) - _GAP
    return (f'<svg class="lazyarr-drawing lazyarr-steps" role="img" aria-label="{text(_said(labels, pairs))}" '
            f'width="{size[0]:.0f}" height="{size[1]:.0f}" viewBox="0 0 {size[0]:.1f} {size[1]:.1f}" fill="none" '
            f'stroke="currentColor">{"".join(lines)}{"".join(boxes)}</svg>')


def _label(k: int, operations: tuple[str, ...]) -> str:
    written = f"{k + 1} {formatting.listed(operations, 3)}"
    return written if len(written) <= _LETTERS else f"{written[:_LETTERS - 3]}..."


def _line(above: tuple[float, float], below: tuple[float, float]) -> str:
    """Draw a line from the lower edge of a box to the upper edge of another."""
    top, bottom = above[1] + _HEIGHT, below[1]
    bend = (bottom - top) / 2
    return (f'<path d="M{above[0]:.1f} {top:.1f}C{above[0]:.1f} {top + bend:.1f} {below[0]:.1f} {bottom - bend:.1f} '
            f'{below[0]:.1f} {bottom:.1f}"/>')


def _said(labels: list[str], pairs: list[tuple[int, int]]) -> str:
    """Return the description of the drawing for screen readers."""
    told = []
    for k, label in enumerate(labels):
        read = sorted(j + 1 for j, reader in pairs if reader == k)
        told.append(f"step {label}" + (f" reads {', '.join(map(str, read))}" if read else ""))
    return "; ".join(told)
