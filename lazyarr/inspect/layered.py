"""Layered graph layout: rows from top to bottom, each box below those it reads (Sugiyama's method)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

SWEEPS = 6


def layered(boxes: Sequence[int], edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Arrange boxes, listed in the order of evaluation, in rows.

    A box is one row below the lowest box that it reads, or, if it reads none, one above its first reader. Within a row,
    boxes are sorted by the mean position of their neighbours above and below, alternately. Very wide rows are broken.

    Examples
    --------
    >>> layered([1, 2, 3, 4], [(1, 3), (3, 4), (2, 4)])
    [[1], [2, 3], [4]]
    """
    above: dict[int, list[int]] = {box: [] for box in boxes}
    below: dict[int, list[int]] = {box: [] for box in boxes}
    for a, b in dict.fromkeys(edges):
        if a != b and a in above and b in above:
            above[b].append(a)
            below[a].append(b)
    ranked: dict[int, list[int]] = {}
    for box, rank in _ranks(above, below).items():
        ranked.setdefault(rank, []).append(box)
    rows = [ranked[rank] for rank in sorted(ranked)]
    at: dict[int, float] = {}
    for row in rows:
        at |= _places(row)
    for sweep in range(SWEEPS):
        near = below if sweep % 2 else above
        for row in rows[::-1] if sweep % 2 else rows:
            row.sort(key=lambda box: sum(at[other] for other in near[box]) / len(near[box]) if near[box] else at[box])
            at |= _places(row)
    most = max(12, math.ceil(2 * math.sqrt(len(boxes))))
    return [row[first:first + most] for row in rows for first in range(0, len(row), most)]


def _ranks(above: dict[int, list[int]], below: dict[int, list[int]]) -> dict[int, int]:
    """Return the row of each box. Steps drawn as one box may form cycles, which are broken at the first box."""
    rank = dict.fromkeys(above, 0)
    missing = {box: len(others) for box, others in above.items()}
    free = [box for box, others in above.items() if not others]
    left = dict.fromkeys(above)
    while left:
        box = free.pop() if free else next(iter(left))
        del left[box]
        for other in below[box]:
            if other in left:
                rank[other] = max(rank[other], rank[box] + 1)
                missing[other] -= 1
                if not missing[other]:
                    free.append(other)
    return {box: min(rank[other] for other in below[box]) - 1 if below[box] and not above[box] else rank[box]
            for box in above}


def _places(row: list[int]) -> dict[int, float]:
    return {box: (place + 0.5) / len(row) for place, box in enumerate(row)}
