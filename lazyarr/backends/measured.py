"""Which backend was fastest for calls that were measured."""
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lazyarr._core import api as core
from lazyarr._core.host import threads
from lazyarr.backends.table import Operand

MOST = 2000
"""The most measurements that are kept, those of the newest kinds of calls: the file they go to is bounded."""
NEAR = 1.5
"""The largest ratio between an extent and the measured one for which a measurement holds."""


class Measured:
    """The fastest backend by kind of call and shapes; calls of other shapes take that of the nearest ones."""

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
        """The name of the fastest backend, None where nothing near was measured."""
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
        """The name for calls of just these shapes."""
        return self._names.get(kind_of(operation, attributes, forms), {}).get(tuple([x.shape for x in forms]))

    def put(self, operation: str, attributes: Mapping[str, Any], forms: list[Operand], name: str) -> None:
        """Remember the name of the fastest backend."""
        kind = kind_of(operation, attributes, forms)
        self._names.setdefault(kind, {})[tuple([x.shape for x in forms])] = name
        while len(self) > MOST and len(self._names) > 1:
            del self._names[next(other for other in self._names if other != kind)]

    def as_json(self) -> dict[str, dict[str, str]]:
        """All measurements, for a file."""
        return {kind: {"; ".join([" ".join(map(str, shape)) for shape in shapes]): name
                       for shapes, name in known.items()} for kind, known in self._names.items()}

    def update(self, found: Any) -> None:
        """Take measurements that `as_json` gave; ValueError for what it did not give."""
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
    """What measurements depend on besides shapes: the operation, fixed arguments, dtypes, layouts, settings."""
    operands = ", ".join([f"{x.dtype.str} {_layout(x)}" for x in forms])
    options = ", ".join([f"{name}={value!r}" for name, value in attributes.items()])
    exactly = ", exact" if core.kernels.winograd.get_exact() else ""
    return f"{operation}({options}) of {operands} on {threads.get_num_threads()} threads{exactly}"


def _layout(x: Operand) -> str:
    """``C`` or ``F`` for dense arrays in that order, ``S`` for others."""
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
    """The largest ratio of two extents, the larger over the smaller; infinite where ranks differ."""
    if [*map(len, shapes)] != [*map(len, others)]:
        return math.inf
    pairs = [sorted((n, m)) for shape, other in zip(shapes, others, strict=True)
             for n, m in zip(shape, other, strict=True)]
    return max([1.0 if n == m else m / n if n else math.inf for n, m in pairs], default=1.0)
