"""Summaries of arrays and their pending operations, without evaluation."""

from collections import Counter
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.introspect import dry_run
from lazyarr.inspect import formatting, markup
from lazyarr.inspect.shape_drawing import drawing

_MOST_BARS = 10  # operations by name that a notebook shows


class Summary:
    """A description of a LazyArray without its values, returned by :func:`summary`. Prints as a table.

    It does not change when the array does, and does not keep the array alive.

    Attributes
    ----------
    shape : tuple of int or None
        None if it depends on a mask that has not been evaluated.
    dtype : numpy.dtype
    nbytes : int or None
        Bytes of the elements.
    ops : collections.Counter
        The pending operations, by name; empty if the array has been evaluated.
    inputs, input_bytes : int
        The number of arrays that these operations read, and their bytes.
    """

    def __init__(self, x: LazyArray) -> None:
        known = not core.is_selection(x)
        self.shape: tuple[int, ...] | None = x.shape if known else None
        self.dtype: np.dtype[Any] = x.dtype
        self.nbytes: int | None = x.nbytes if known else None
        self.inputs: int
        self.input_bytes: int
        names, self.inputs, self.input_bytes = dry_run.below(x)
        self.ops: Counter[str] = Counter(names)

    @property
    def pending(self) -> int:
        """The number of pending operations."""
        return self.ops.total()

    def _rows(self) -> list[tuple[str, str]]:
        if self.shape is None or self.nbytes is None:
            rows = [("shape", "as many elements as a mask holds"), ("dtype", str(self.dtype))]
        else:
            rows = [("shape", str(self.shape)), ("dtype", str(self.dtype)), ("memory", formatting.nbytes(self.nbytes))]
        if self.ops:
            names = ", ".join(f"{n:,} {name}" for name, n in sorted(self.ops.items(), key=lambda op: (-op[1], op[0])))
            rows.append(("pending", f"{formatting.count(self.pending, 'operation')}: {names}"))
            rows.append(("reads", f"{formatting.count(self.inputs, 'array')}, {formatting.nbytes(self.input_bytes)}"))
        else:
            rows.append(("pending", "nothing"))
        return rows

    def __str__(self) -> str:
        return formatting.table(self._rows(), "<<")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [row for row in self._rows() if row[0] != "pending" or not self.ops]
        ops = [(name, f"{n:,}", n) for name, n in self.ops.most_common(_MOST_BARS)]
        picture = "" if self.shape is None else drawing(self.shape)
        return markup.panel(
            "Summary", markup.beside(markup.facts("The array", rows), picture),
            markup.bars(formatting.count(self.pending, "operation") + " pending", ops) if ops else "",
            markup.note(_more(len(self.ops) - len(ops))), state="waiting" if self.ops else "evaluated")


def _more(kinds: int) -> str:
    return f"and operations of {formatting.count(kinds, 'other name')}" if kinds > 0 else ""


@api_boundary
def summary(x: LazyArray) -> Summary:
    """Describe an array and its pending operations, without evaluating it.

    Parameters
    ----------
    x : LazyArray

    Returns
    -------
    Summary
        Prints as a table.

    Raises
    ------
    TypeError
        For anything but a LazyArray.

    Examples
    --------
    >>> x = la.asarray(np.ones((1000, 3)))
    >>> y = la.sqrt(x * x + 2.0).sum(axis=0)
    >>> la.summary(y)
    shape    (3,)
    dtype    float64
    memory   24 B
    pending  4 operations: 1 add, 1 add.reduce, 1 multiply, 1 sqrt
    reads    1 array, 23.4 KiB
    >>> la.evaluate(y)
    >>> la.summary(y).pending
    0
    """
    if not isinstance(x, LazyArray):
        raise TypeError(f"summary takes a LazyArray, got {type(x).__name__}")
    return Summary(x)
