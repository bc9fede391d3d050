"""`report`: fallbacks to plain NumPy calls."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.inspect import fallbacks, formatting, markup

NOTHING = "Nothing fell back to NumPy."
_COLUMNS = ("operation", "calls", "when", "why")


class Fallback(NamedTuple):
    """One row of a report."""

    name: str
    calls: int
    lazily: bool
    reason: str


def _when(row: Fallback) -> str:
    return "lazily" if row.lazily else "at once"


class Report:
    """Fallbacks to NumPy, the most frequent first, returned by :func:`report`. An iterable of rows.

    It does not change when more calls fall back later.
    """

    def __init__(self, counted: Mapping[tuple[str, bool, str], int]) -> None:
        ordered = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        self._rows = tuple(Fallback(name, calls, lazily, reason) for (name, lazily, reason), calls in ordered)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Fallback]:
        return iter(self._rows)

    def __str__(self) -> str:
        if not self._rows:
            return NOTHING
        calls = formatting.count(sum(row.calls for row in self._rows), "call")
        rows = [
            _COLUMNS,
            *((row.name, f"{row.calls:,}", _when(row), row.reason) for row in self._rows),
        ]
        return f"Fell back to NumPy: {calls}\n{formatting.table(rows, '<><<')}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        calls = formatting.count(sum(row.calls for row in self._rows), "call")
        return markup.panel("Fallbacks to NumPy", self._table(), facts=[calls] if self._rows else ())

    def _table(self) -> str:
        """Return the rows as a table for notebooks."""
        if not self._rows:
            return markup.note(NOTHING)
        most = max(row.calls for row in self._rows)
        rows = [(row.name, markup.bar(f"{row.calls:,}", row.calls / most, 1), _when(row), row.reason)
                for row in self._rows]
        return markup.table("Plain calls of NumPy, which have no native form", _COLUMNS, rows, "<><<")

    def clear(self) -> None:
        """Reset all counts to zero, and empty this report."""
        self._rows = ()
        fallbacks.clear()


@api_boundary
def report() -> Report:
    """Report fallbacks to plain NumPy calls since the start, or since the last ``report().clear()``.

    A *lazy* fallback joins the graph as an opaque call, which runs when its values are needed. Other fallbacks evaluate
    their operands and run at once.

    Returns
    -------
    Report
        Prints as a table; iterating over it gives rows of ``name``, ``calls``, ``lazily`` and ``reason``.

    Examples
    --------
    >>> la.report().clear()
    >>> x = la.array([3, 0, 4])
    >>> rows, = x.nonzero()
    >>> [(row.name, row.calls, row.lazily) for row in la.report()]
    [('nonzero', 1, False)]
    """
    return Report(fallbacks.counts())
