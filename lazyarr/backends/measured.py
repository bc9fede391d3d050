"""The fastest backends of measured calls."""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.host import threads
from lazyarr.backends.table import Operand

MOST = 2000
"""The maximum number of measurements, which bounds their file; those of the oldest kinds of calls are dropped."""
NEAR = 1.5
"""The largest ratio of an extent to the measured one for which a measurement is used."""


class Measured:
    """The fastest backend by kind of call and shapes; other shapes use the measurement of the nearest ones."""

    def __init__(self) -> None:
        self._names: dict[str, dict[tuple[tuple[int, ...], ...], str]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._names.values()))

    def forget(self, operation: str) -> None:
        """Forget the measurements of an operation."""
        for kind in [kind for kind in self._names if kind.startswith(f"{operation}(")]:
            del self._names[kind]

    def clear(self) -> None:
        """Forget all measurements."""
        self._names.clear()

    def of(self, operation: str, attributes: Mapping[str, Any], forms: list[Operand]) -> str | None:
        """Return the name of the fastest backend; None if no similar shapes were measured."""
        if not self._names:
            return None
        known = self._names.get(kind_of(operation, attributes, forms), {})
        shapes = tuple([x.shape for x in forms])
        if shapes in known:
            return known[shapes]
        distances = {other: _distance(shapes, other) for other in known}
        nearest = min(distances, key=distances.__getitem__, default=None)
        return None if nearest is None or distances[nearest] > NEAR else known[nearest]

    def of_just(self, operation: str, attributes: Mapping[str, Any], forms: list[Operand]) -> str | None:
        """Return the name of the fastest backend for exactly these shapes, or None."""
        return self._names.get(kind_of(operation, attributes, forms), {}).get(tuple([x.shape for x in forms]))

    def put(self, operation: str, attributes: Mapping[str, Any], forms: list[Operand], name: str) -> None:
        """Remember the name of the fastest backend."""
        kind = kind_of(operation, attributes, forms)
        self._names.setdefault(kind, {})[tuple([x.shape for x in forms])] = name
        while len(self) > MOST and len(self._names) > 1:
            del self._names[next(other for other in self._names if other != kind)]

    def as_json(self) -> dict[str, dict[str, str]]:
        """Return all measurements, for a file."""
        return {kind: {"; ".join([" ".join(map(str, shape)) for shape in shapes]): name
                       for shapes, name in known.items()} for kind, known in self._names.items()}

    def update(self, found: Any) -> None:
        """Add measurements from `as_json`; raise ValueError for anything else."""
        if not isinstance(found, dict):
            raise ValueError("what it says of backends is not a table")
        taken: dict[str, dict[tuple[tuple[int, ...], ...], str]] = {}
        for kind, known in found.items():
            if not isinstance(known, dict) or not all(isinstance(name, str) for name in known.values()):
                raise ValueError(f"what it says of {kind} is not a table of names")
            taken[kind] = {tuple([tuple(map(int, shape.split())) for shape in shapes.split(";")]): name
                           for shapes, name in known.items()}
            if any(n < 0 for shapes in taken[kind] for shape in shapes for n in shape):
                raise ValueError(f"what it says of {kind} has negative extents")
        for kind, known in taken.items():
            self._names.setdefault(kind, {}).update(known)


def kind_of(operation: str, attributes: Mapping[str, Any], forms: list[Operand]) -> str:
    """Return what measurements depend on besides shapes: operation, attributes, dtypes, layouts, settings."""
    operands = ", ".join([f"{x.dtype.str} {_layout(x)}" for x in forms])
    options = ", ".join([f"{name}={value!r}" for name, value in attributes.items()])
    exactly = ", exact" if core.kernels.winograd.get_exact() else ""
    return f"{operation}({options}) of {operands} on {threads.get_num_threads()} threads{exactly}"


def _layout(x: Operand) -> str:
    """Return ``C`` or ``F`` for dense arrays in that order, ``S`` for others."""
    for letter, axes in (("C", range(x.ndim - 1, -1, -1)), ("F", range(x.ndim))):
        step = x.dtype.itemsize
        for axis in axes:
            if x.shape[axis] > 1 and x.strides[axis] != step:
                break
            step *= x.shape[axis]
        else:
            return letter
    return "S"


def _distance(shapes: tuple[tuple[int, ...], ...], others: tuple[tuple[int, ...], ...]) -> float:
    """Return the largest ratio of two extents, the larger over the smaller; infinite if ranks differ."""
    if [*map(len, shapes)] != [*map(len, others)]:
        return math.inf
    pairs = [sorted((n, m)) for shape, other in zip(shapes, others, strict=True)
             for n, m in zip(shape, other, strict=True)]
    return max([1.0 if n == m else m / n if n else math.inf for n, m in pairs], default=1.0)
