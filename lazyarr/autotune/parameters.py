"""One row for each number that can be tuned: its name, its unit, between which bounds it lies, and what it decides.

Modules declare theirs (`_core/host/tunables.pyx`); a cost for each elementwise operation comes from the table of
operations. The defaults are what the code says, which a row reads when the table is made.
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
# Of numbers that choose between ways whose results differ by rounding.
PATH = "path."


class Row(NamedTuple):
    """One number."""

    name: str
    unit: str
    low: float
    high: float
    doc: str
    get: Callable[[], float]
    set: Callable[[float], None]
    default: float
    whole: bool = False
    """Whether it counts something, and is an integer."""

    def checked(self, value: Any) -> float:
        """A value in the form to write; TypeError or ValueError for one that the number cannot have."""
        fits = isinstance(value, numbers.Integral if self.whole else numbers.Real)
        if isinstance(value, bool) or not fits:
            wanted = "an integer" if self.whole else "a number"
            raise TypeError(f"tuning[{self.name!r}] must be {wanted}, got {type(value).__name__}")
        if not self.low <= value <= self.high:  # so is nan
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
        plan_cache.clear()  # plans know their costs

    doc = f"What an element of float32 costs {ufunc.__name__}; other types cost in proportion to their size."
    default = ufunc_traits.get_cost(ufunc)
    return Row(f"{COST}{ufunc.__name__}_ns", "ns", 1e-3, 1e4, doc, lambda: ufunc_traits.get_cost(ufunc), set_cost,
               default)


@functools.cache
def rows() -> dict[str, Row]:
    """All rows by their names."""
    kernels.load()
    made = sorted(map(_declared, tunables.declared().values()), key=lambda row: (row.name.startswith(PATH), row.name))
    made += [_ufunc(op.function) for op in TABLE.values() if op.cost is not None and op.kind == NATIVE_OP]
    return {row.name: row for row in made}


def rounded(row: Row, value: float) -> float:
    """A measured value with the digits that mean something, within the row's bounds."""
    value = min(max(value, row.low), row.high)
    return round(value) if row.whole else round(value, 2 - math.floor(math.log10(value)))
