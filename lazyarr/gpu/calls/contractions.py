"""Contractions: sums of products along axes, as launches of the kernels of `contraction_kernels`.

An axis belongs to one of four groups, by the arrays that move along it::

    batch     a, b and c      as in a stack of matrices
    rows      a and c
    columns   b and c
    terms     a and b         the axes that are summed over

With at most one axis in each group, that is a matrix product. A convolution is a contraction, too: a is its input, in
which row and term axes overlap. Elements outside the input are zeros: `Window` says where it begins and ends.

The tiles of a result and the chunks of a sum depend only on extents, and so does the order of summation.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from lazyarr._core.runtime.device_call import Operand
from lazyarr.gpu.calls import contraction_kernels as kernels
from lazyarr.gpu.calls.contraction_kernels import BLOCK, DOT, LARGE, SMALL, TALL, WIDE, Tile, is_ordered
from lazyarr.gpu.calls.launches import Launch

ENOUGH_GROUPS = 256  # with fewer, sums are split into chunks
LEAST_CHUNK = 1024  # terms
ENOUGH_LARGE = 32  # with fewer large tiles, small ones are used
COMBINING = 256  # group size of the kernel that combines chunks


class Axis(NamedTuple):
    """An axis: its extent, the strides of a, b and c along it in bytes, and how far one step moves in each window."""

    extent: int
    a: int = 0
    b: int = 0
    c: int = 0
    steps: tuple[int, ...] = ()

    @property
    def moves(self) -> tuple[int, ...]:
        """Everything that a step along the axis moves."""
        return (self.a, self.b, self.c, *self.steps)


class Window(NamedTuple):
    """An axis of a that extends beyond its memory: the position of its first element, and the extent in memory."""

    first: int
    extent: int


@dataclass(frozen=True)
class Contraction:
    """A sum c of products of a and b. The axes say how the three move, regardless of their own shapes and strides."""

    operands: tuple[Operand, Operand, Operand]
    batch: Sequence[Axis]
    rows: Sequence[Axis]
    columns: Sequence[Axis]
    terms: Sequence[Axis]
    windows: Sequence[Window] = ()
    conjugates: bool = False  # a


def launches(contraction: Contraction, reported_flags: int = 0) -> list[Launch]:
    """Return the launches that compute a contraction, in order.

    Parameters
    ----------
    contraction : Contraction
    reported_flags : int, optional
        Status flags to detect: overflow 2, invalid 8. Others are not supported.
    """
    left, right, char = [x.dtype.char for x in contraction.operands]
    groups = contraction.batch, contraction.rows, contraction.columns, contraction.terms
    batch, rows, columns, terms = (_padded(merged(axes), len(contraction.windows)) for axes in groups)
    stack, m, n, k = (prod(axis.extent for axis in axes) for axes in (batch, rows, columns, terms))
    if stack * m * n == 0:
        return []
    tile = _tile(stack, m, n, k, is_ordered(char))
    tiles = stack * -(-m // tile.rows) * -(-n // tile.columns)
    length = k if is_ordered(char) else _chunk_length(tiles, k)
    chunks = max(-(-k // length), 1) if length else 1
    reported_flags = reported_flags & 10 if char in "efdFD" else 0
    working = np.dtype(kernels.working_char(char)).itemsize
    made = [batch, rows, columns]
    if chunks > 1:
        made = _dense(made, working)
    form = kernels.Form((left, right, char), tile, (len(batch), len(rows), len(columns), len(terms)),
                        len(contraction.windows), contraction.conjugates, reported_flags, chunks > 1)  # fmt: skip
    a, b, c = [x.offset for x in contraction.operands]
    values: dict[str, int] = {
        "groups": tiles * chunks, "rows": m, "columns": n, "terms": k, "chunks": chunks, "length": length,
        "rows_first": _step(rows, 0) < _step(terms, 0), "columns_first": _step(columns, 1) < _step(terms, 1),
        "a": a, "b": b, "c": 0 if chunks > 1 else c, "c_chunk": stack * m * n * working,
    }  # fmt: skip
    for window, (first, extent) in enumerate(contraction.windows):
        values[f"first{window}"], values[f"extent{window}"] = first, extent
    for name, axes in zip(("batch", "row", "column", "term"), (*made, terms), strict=True):
        for place, axis in enumerate(axes):
            values |= {f"{name}{place}_{field}": getattr(axis, field) for field in ("extent", "a", "b", "c")}
            values |= {f"{name}{place}_step{window}": step for window, step in enumerate(axis.steps)}
    words = [int(values[name]) for name in kernels.contraction_words(form)]
    text = kernels.generate_contraction(form)
    if chunks == 1:
        return [Launch(text, tiles, tile.threads, words, (0, 1, "result"))]
    size = chunks * stack * m * n * working
    in_chunks = Launch(text, tiles * chunks, tile.threads, words, (0, 1, "partial"), size)
    results = _padded(merged([Axis(axis.extent, c=axis.c) for axis in (*batch, *rows, *columns)]))
    return [in_chunks, _combine(char, results, c, chunks, reported_flags)]


def _combine(char: str, axes: Sequence[Axis], offset: int, chunks: int, reported_flags: int) -> Launch:
    """Return the launch that adds the sums of chunks, which are stored in the order of these axes."""
    form = kernels.CombineForm(char, len(axes), reported_flags)
    count = prod(axis.extent for axis in axes)
    values = {"count": count, "chunks": chunks, "c": offset}
    for place, axis in enumerate(axes):
        values |= {f"axis{place}_extent": axis.extent, f"axis{place}_c": axis.c}
    words = [values[name] for name in kernels.combine_words(form)]
    text = kernels.generate_combine(form)
    return Launch(text, -(-count // COMBINING), COMBINING, words, ("partial", "result"))


def merged(axes: Iterable[Axis]) -> list[Axis]:
    """Merge neighbouring axes along which everything moves as along one, and drop axes of extent 1."""
    found: list[Axis] = []
    for axis in axes:
        if axis.extent == 1:
            continue
        if found and all(outer == inner * axis.extent
                         for outer, inner in zip(found[-1].moves, axis.moves, strict=True)):  # fmt: skip
            found[-1] = axis._replace(extent=found[-1].extent * axis.extent)
        else:
            found.append(axis)
    return found


def _padded(axes: list[Axis], windows: int = 0) -> list[Axis]:
    """Pad axes with axes of extent 1 to a power of two, so that few kernels serve all calls."""
    missing = (1 << max(len(axes) - 1, 0).bit_length()) - len(axes)
    return [Axis(1, steps=(0,) * windows)] * missing + axes


def _dense(groups: Sequence[Sequence[Axis]], size: int) -> list[list[Axis]]:
    """Return the axes with C-order strides for c, one group inside the other."""
    made: list[list[Axis]] = []
    for axes in reversed(groups):
        dense: list[Axis] = []
        for axis in reversed(axes):
            dense.insert(0, axis._replace(c=size))
            size *= axis.extent
        made.insert(0, dense)
    return made


def _step(axes: Sequence[Axis], operand: int) -> float:
    """Return an operand's stride along the last of some axes; small strides are traversed first."""
    return abs(axes[-1].moves[operand]) if axes[-1].extent > 1 else float("inf")


def _tile(stack: int, m: int, n: int, k: int, ordered: bool) -> Tile:
    if not ordered and 1 in (m, n):
        return DOT if m == n else TALL if n == 1 else WIDE
    if min(m, n) > SMALL.rows and stack * -(-m // LARGE.rows) * -(-n // LARGE.columns) >= ENOUGH_LARGE:
        return LARGE
    return SMALL


def _chunk_length(tiles: int, k: int) -> int:
    """Return the number of terms of a chunk, a multiple of a block."""
    chunks = max(min(ENOUGH_GROUPS // tiles, k // LEAST_CHUNK), 1)
    return -(-k // chunks // BLOCK) * BLOCK if chunks > 1 else k
