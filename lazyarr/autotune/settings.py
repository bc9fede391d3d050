"""The numbers in force, as a mapping that validates assignments."""

from collections.abc import Iterator, Mapping
from contextlib import _GeneratorContextManager, contextmanager
from typing import Any

from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.suggestions import did_you_mean
from lazyarr.autotune import store
from lazyarr.autotune.parameters import Row, rows
from lazyarr.inspect import formatting, markup

# Sources of values.
DEFAULT, TUNED, SET = "default", "tuned", "set"
_COLUMNS = ("name", "value", "default", "unit", "source")


@api_boundary
class Tuning(Mapping[str, float]):
    """The numbers by which lazyarr decides which way is faster: name -> value. They hold for the whole process.

    No result depends on them, but for those whose names begin with ``path.``: they choose between ways whose results
    differ by rounding. ``lazyarr tune`` measures them on this machine, with ``--same-results`` all but
    those, and later imports use what it found. ``tuning[name] = value`` sets one for good; ``with
    tuning({name: value, ...}):`` until the end of the block.
    The names are those of `repr`, which shows each with its value, its default and where the value comes from:
    ``default``, ``tuned`` (found by ``lazyarr tune``) or ``set`` (here).

    Raises
    ------
    KeyError
        For a name that is not in the table.
    TypeError, ValueError
        For a value that a number cannot have. Nothing is changed then.

    Examples
    --------
    >>> import lazyarr as la
    >>> with la.config.tuning({"repeat.byte_ns": 0.2}):
    ...     la.config.tuning["repeat.byte_ns"], la.config.tuning.source("repeat.byte_ns")
    (0.2, 'set')
    """

    __slots__ = ("_set", "_tuned")

    def __init__(self) -> None:
        self._tuned: dict[str, float] = {}
        self._set: dict[str, float] = {}

    def __getitem__(self, name: str) -> float:
        return _row(name).get()

    def __setitem__(self, name: str, value: float) -> None:
        self.update({name: value})

    def __iter__(self) -> Iterator[str]:
        return iter(rows())

    def __len__(self) -> int:
        return len(rows())

    def update(self, values: Mapping[str, float]) -> None:
        """Set several numbers, or none of them if a name or a value is wrong."""
        checked = _checked(values)
        self._set |= checked
        self._put_in_force(checked)

    def __call__(self, values: Mapping[str, float]) -> _GeneratorContextManager[None]:
        """Set some numbers inside a ``with`` block, or during each call of a decorated function."""
        return self._changed(_checked(values))

    @contextmanager
    def _changed(self, checked: dict[str, float]) -> Iterator[None]:
        before = {name: self._set.get(name) for name in checked}
        self.update(checked)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    self._set.pop(name, None)
                else:
                    self._set[name] = value
            self._put_in_force(before)

    def source(self, name: str) -> str:
        """Return the source of a value: ``"default"``, ``"tuned"`` or ``"set"``."""
        _row(name)
        return SET if name in self._set else TUNED if name in self._tuned else DEFAULT

    def reset(self, *names: str) -> None:
        """Reset some numbers, or all, to their values after the import."""
        for name in names:
            _row(name)
        for name in names or tuple(self._set):
            self._set.pop(name, None)
            self._put_in_force((name,))

    def load(self) -> None:
        """Load the numbers measured on this machine, if within bounds."""
        self._take(store.load()[0])

    def _take(self, values: dict[str, Any]) -> None:
        known = rows() if values else {}
        self._tuned = {name: value for name, value in values.items() if name in known and _fits(known[name], value)}
        self._put_in_force(self._tuned)

    def _put_in_force(self, names: Any) -> None:
        table = rows() if names else {}
        for name in names:
            row = table[name]
            row.set(self._set.get(name, self._tuned.get(name, row.default)))

    def __repr__(self) -> str:
        return formatting.table([_COLUMNS, *self._lines()], "<>><<")

    def _repr_html_(self) -> str:
        return markup.panel("Tuning", markup.table("Numbers that depend on the machine", _COLUMNS, self._lines(),
                                                   "<>><<"))

    def _lines(self) -> list[tuple[str, ...]]:
        return [(row.name, _written(row.get()), _written(row.default), row.unit, self.source(row.name))
                for row in rows().values()]


def _written(number: float) -> str:
    """Format a number for the table; counts have all their digits."""
    return str(number) if isinstance(number, int) and number < 10**12 else f"{number:.6g}"


def _row(name: Any) -> Row:
    found = rows().get(name)
    if found is None:
        hint = did_you_mean(name, rows()) or "; repr(lazyarr.config.tuning) lists them"
        raise KeyError(f"tuning has no number {name!r}{hint}")
    return found


def _checked(values: Any) -> dict[str, float]:
    if not isinstance(values, Mapping):
        raise TypeError(f"tuning takes a mapping of names to numbers, got {type(values).__name__}")
    return {name: _row(name).checked(value) for name, value in values.items()}


def _fits(row: Row, value: Any) -> bool:
    try:
        row.checked(value)
    except (TypeError, ValueError):
        return False
    return True


tuning = Tuning()
tuning._take(store.found)
