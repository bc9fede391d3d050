"""The table of backends: a row for each implementation of an operation, lazyarr's own and those of users."""
from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.suggestions import did_you_mean
from lazyarr.ops.opaque_rows import DESCRIBED
from lazyarr.ops.table import OPAQUE, TABLE

NATIVE, NUMPY, REFERENCE = "native", "numpy", "reference"
ALWAYS = frozenset({NATIVE, NUMPY, REFERENCE})
"""Names that apply to any call; its built-in implementation is one of the first two."""

_LONGEST = 100  # characters of a name that similar ones are looked for: it may come from a file

_FURTHER = frozenset(
    ["argsort", "einsum", "linalg.matrix_rank", "linalg.qr", "matmul", "sort"]
    + [f"conv{n}d{of}" for n in (1, 2, 3) for of in ("", "_input", "_weight")]
    + [f"conv_transpose{n}d" for n in (1, 2, 3)])


class Operand(NamedTuple):
    """Shape, dtype and strides of an operand, as passed to `accepts` and `cost`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    strides: tuple[int, ...]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size


@dataclass(frozen=True, slots=True)
class Backend:
    """A row of the table: one implementation of an operation.

    The attributes are the parameters of `register`, and `fresh`: whether `run` returns arrays that nothing else refers
    to.
    """

    operation: str
    name: str
    run: Callable[..., Any]
    accepts: Callable[..., bool] | None = None
    cost: Callable[..., float] | None = None
    exact: bool = False
    out: bool = False
    fresh: bool = True


_rows: dict[str, dict[str, Backend]] = {}
"""By operation and name."""
_listeners: list[Callable[[str], None]] = []
_needed: dict[str, Callable[[], None]] = {}
"""By backend: functions that raise ImportError if a package that it needs is missing."""


def on_change(listener: Callable[[str], None]) -> None:
    """Call a function with the operation whenever a row is added or removed."""
    _listeners.append(listener)


def rows_of(operation: str) -> dict[str, Backend]:
    """Return the rows of an operation by name."""
    return _rows.get(operation, {})


def all_rows() -> list[list[Backend]]:
    """Return the rows of each operation."""
    return [[*rows.values()] for rows in _rows.values()]


@functools.cache
def has_costs() -> bool:
    """Return whether a row may be chosen by its estimated cost."""
    return any(row.exact and row.cost is not None for rows in all_rows() for row in rows)


def names() -> frozenset[str]:
    """Return the names of all backends."""
    return ALWAYS.union(*map(frozenset, _rows.values()))


def operations() -> frozenset[str]:
    """Return the operations that can have backends: operands and attributes describe their calls."""
    transforms = [name for name in TABLE if name.startswith("fft.") and TABLE[name].kind == OPAQUE]
    return _FURTHER.union(DESCRIBED, transforms)


def add(row: Backend) -> None:
    """Add a row to the table."""
    rows = _rows.setdefault(row.operation, {})
    if row.name in rows:
        raise ValueError(f"{row.operation} has a backend {row.name!r}")
    rows[row.name] = row
    _changed(row.operation)


def discard(operation: str, name: str) -> None:
    """Remove a row from the table."""
    if name not in rows_of(operation):
        raise ValueError(f"{operation} has no backend {name!r}")
    del _rows[operation][name]
    _changed(operation)


def needs(name: str, check: Callable[[], None]) -> None:
    """Add a check that raises ImportError when a backend is requested whose package is missing."""
    _needed[name] = check


def check_operation(operation: str) -> None:
    """Raise ValueError for an operation that backends cannot compute."""
    known = operations().union(_rows)
    if operation not in known:
        hint = did_you_mean(str(operation)[:_LONGEST], known) or f"; they can compute {', '.join(sorted(known))}"
        raise ValueError(f"backends cannot compute {operation!r}{hint}")


def check_name(name: Any) -> str:
    """Return the name of a backend; raise ValueError for any other, ImportError if its package is missing."""
    known = names()
    if not isinstance(name, str) or name not in known:
        hint = did_you_mean(name, known)
        raise ValueError(f"there is no backend {name!r}; there are {', '.join(sorted(known))}{hint}")
    if name in _needed:
        _needed[name]()
    return name


def _changed(operation: str) -> None:
    has_costs.cache_clear()
    for listener in _listeners:
        listener(operation)


def own_name(function: Any) -> Any:
    """Return the name of a call's built-in backend; None for a user's function, whatever the call's name."""
    return NATIVE if isinstance(function, core.Kernel) else getattr(function, "backend", NUMPY)


def attributes_of(function: Any) -> dict[str, Any]:
    """Return the attributes of a call: its keyword arguments."""
    found = getattr(function, "attributes", None)
    return dict(getattr(function, "keywords", {}) if found is None else found)
