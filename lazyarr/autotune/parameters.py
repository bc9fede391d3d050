"""One row per tunable number: its name, unit, bounds, and what it decides.

Modules declare their own (`_core/host/tunables.pyx`); the cost of each elementwise operation comes from the table of
operations. Defaults are the values in force when the table is built.
"""

import functools
import math
import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

from lazyarr._core import kernels
from lazyarr._core.host import tunables
from lazyarr._core.ir import inner_loops, ufunc_traits
from lazyarr._core.runtime import plan_cache
from lazyarr.ops import families  # noqa: F401 - some declare numbers
from lazyarr.ops.table import NATIVE as NATIVE_OP
from lazyarr.ops.table import TABLE

COST = "ufunc."
# Prefix of numbers that choose between implementations with different rounding.
PATH = "path."


class Row(NamedTuple):
    """One tunable number."""

    name: str
    unit: str
    low: float
    high: float
    doc: str
    get: Callable[[], float]
    set: Callable[[float], None]
    default: float
    whole: bool = False
    """Whether it is an integer."""

    def checked(self, value: Any) -> float:
        """Return a value converted to the number's type; raise TypeError or ValueError if it is not valid."""
        fits = isinstance(value, numbers.Integral if self.whole else numbers.Real)
        if isinstance(value, bool) or not fits:
            wanted = "an integer" if self.whole else "a number"
            raise TypeError(f"tuning[{self.name!r}] must be {wanted}, got {type(value).__name__}")
        if not self.low <= value <= self.high:  # also rejects nan
            limits = f"from {self.low:.15g} to {self.high:.15g}"
            raise ValueError(f"tuning[{self.name!r}] must be {limits} {self.unit}, got {value}")
        return int(value) if self.whole else float(value)


def _declared(number: tunables.Tunable) -> Row:
    default = number.get()
    kind = type(default)
    return Row(number.name, number.unit, kind(number.low), kind(number.high), number.doc, number.get, number.set,
               default, kind is int)


def _ufunc(ufunc: Any) -> Row:
    def set_cost(ns: float) -> None:
        inner_loops.set_cost(ufunc, ns)
        plan_cache.clear()  # plans contain costs

    doc = f"What an element of float32 costs {ufunc.__name__}; other types cost in proportion to their size."
    default = ufunc_traits.get_cost(ufunc)
    return Row(f"{COST}{ufunc.__name__}_ns", "ns", 1e-3, 1e4, doc, lambda: ufunc_traits.get_cost(ufunc), set_cost,
               default)


@functools.cache
def rows() -> dict[str, Row]:
    """Return all rows by name."""
    kernels.load()
    made = sorted(map(_declared, tunables.declared().values()), key=lambda row: (row.name.startswith(PATH), row.name))
    made += [_ufunc(op.function) for op in TABLE.values() if op.cost is not None and op.kind == NATIVE_OP]
    return {row.name: row for row in made}


def rounded(row: Row, value: float) -> float:
    """Round a measured value to its significant digits, within the row's bounds."""
    value = min(max(value, row.low), row.high)
    return round(value) if row.whole else round(value, 2 - math.floor(math.log10(value)))
