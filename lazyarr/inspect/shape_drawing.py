"""Small drawings of shapes: a cell, a bar, a rectangle, a cuboid, or a stack of these with its number."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lazyarr.inspect.markup import text

LONGEST, SHORTEST = 120.0, 10.0
"""The default length of the longest extent, and that of the shortest, in pixels."""

SLANT = 0.42
"""The shift of depth to the right and up, as a share of its length."""

CELLS = 12
"""Extents up to this one show their elements."""

_LEADING = 3    # axes that are written one by one
_COPIES = 3     # of what leading axes repeat, at most
_MARGIN = 4.0
_LINE = 15.0    # of text
_LETTER = 6.6   # pixels, about
_SHIFT = 7.0


def drawing(shape: Sequence[int], longest: float = LONGEST) -> str:
    """Draw a shape as an SVG, with its extents at the edges: the last three axes, and the number of such blocks."""
    *leading, depth, height, width = (1,) * (3 - len(shape)) + tuple(shape)
    ndim = len(shape)
    drawn = _sides([depth, height, width][-ndim:] if ndim else [1], longest)
    across, down, back = drawn[-1], drawn[-2] if ndim > 1 else 14.0, SLANT * drawn[-3] if ndim > 2 else 0.0
    across = across if ndim else 14.0
    copies = min(_COPIES, max(leading)) if leading and 0 not in leading else 1
    counted = leading if len(leading) <= _LEADING else [math.prod(leading)]
    count = "".join(f"{n:,} \u00d7 " for n in counted).rstrip()
    left = _MARGIN + (_LETTER * len(count) + 6 if leading else 0.0)
    top = _MARGIN + (_LINE if ndim > 2 else 0.0) + _SHIFT * (copies - 1)
    empty = 0 in shape

    parts = []
    for copy in range(copies - 1, 0, -1):  # those behind, by their outlines
        parts.append(_outline(left + _SHIFT * copy, top - _SHIFT * copy, across, down, back, empty))
    parts.append(_solid(left, top, across, down, back, (height, width) if ndim > 1 else (1, width), empty))
    bottom, right = top + back + down, left + across + back + _SHIFT * (copies - 1)
    labels = []
    if ndim:
        labels.append((left + across / 2, bottom + _LINE - 2, "middle", f"{width:,}"))
    if ndim > 1:
        labels.append((left + across + back + _SHIFT * (copies - 1) + 5, top + down / 2 + 4, "start", f"{height:,}"))
    if ndim > 2:
        labels.append((left + back / 2 - 4, top + back / 2 - 2 - _SHIFT * (copies - 1), "end", f"{depth:,}"))
    if leading:
        labels.append((left - 6, top + back + down / 2 + 4, "end", count))
    parts += [f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{told}</text>'
              for x, y, anchor, told in labels]
    start = min([0.0, *(x - _LETTER * len(told) * {"end": 1, "middle": 0.5, "start": 0}[anchor]
                        for x, _, anchor, told in labels)])
    end = max([right, *(x + _LETTER * len(told) * {"end": 0, "middle": 0.5, "start": 1}[anchor]
                        for x, _, anchor, told in labels)]) + _MARGIN
    size = end - start, bottom + _MARGIN + (_LINE if ndim else 0.0)
    said = f"shape {' by '.join(f'{n:,}' for n in shape)}" if ndim else "one element"
    return (f'<svg class="lazyarr-drawing" role="img" aria-label="{text(said)}" width="{size[0]:.0f}" '
            f'height="{size[1]:.0f}" viewBox="{start:.1f} 0 {size[0]:.1f} {size[1]:.1f}" fill="none" '
            f'stroke="currentColor">{"".join(parts)}</svg>')


def _sides(extents: Sequence[int], longest: float) -> list[float]:
    """Return lengths in pixels, with large ratios compressed so that everything is visible."""
    most = max(1, *extents)
    return [max(SHORTEST, longest * (n / most) ** 0.6) for n in extents]


def _solid(left: float, top: float, across: float, down: float, back: float, cells: tuple[int, int],
           empty: bool) -> str:
    """Draw the front with its cells and, if there is depth, the top and right faces."""
    y = top + back
    parts = []
    if back:
        parts += [
            f'<path class="lazyarr-top{" lazyarr-empty" * empty}" '
            f'd="M{left:.1f} {y:.1f}l{back:.1f} {-back:.1f}h{across:.1f}l{-back:.1f} {back:.1f}z"/>',
            f'<path class="lazyarr-side{" lazyarr-empty" * empty}" '
            f'd="M{left + across:.1f} {y:.1f}l{back:.1f} {-back:.1f}v{down:.1f}l{-back:.1f} {back:.1f}z"/>']
    parts.append(f'<path class="lazyarr-front{" lazyarr-empty" * empty}" '
                 f'd="M{left:.1f} {y:.1f}h{across:.1f}v{down:.1f}h{-across:.1f}z"/>')
    rows, columns = cells
    lines = ""
    if 1 < rows <= CELLS and not empty:
        lines += "".join(f"M{left:.1f} {y + down * k / rows:.1f}h{across:.1f}" for k in range(1, rows))
    if 1 < columns <= CELLS and not empty:
        lines += "".join(f"M{left + across * k / columns:.1f} {y:.1f}v{down:.1f}" for k in range(1, columns))
    if lines:
        parts.append(f'<path class="lazyarr-cells" d="{lines}"/>')
    return "".join(parts)


def _outline(left: float, top: float, across: float, down: float, back: float, empty: bool) -> str:
    """Draw the visible outline of a block behind another."""
    return (f'<path class="lazyarr-top{" lazyarr-empty" * empty}" d="M{left:.1f} {top + back:.1f}l{back:.1f} '
            f'{-back:.1f}h{across:.1f}v{down:.1f}l{-back:.1f} {back:.1f}h{-across:.1f}z"/>')
