"""Measuring the backends of calls while they are evaluated."""
from __future__ import annotations

import numbers
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.backends import choice
from lazyarr.backends.choice import Bound, candidates, costs_of, measured
from lazyarr.backends.table import Operand, own_name, rows_of

CLEARLY = 1.03
"""The minimum speed-up for which another backend replaces a call's built-in one."""
NEAR_TIE = 2.0
"""The largest ratio to the lowest estimated cost up to which a backend is measured."""
FAR, VERY_FAR = 2.0, 8.0
"""The largest ratio to the fastest time up to which a backend is measured again: in the end, and in the first rounds,
in which a library's threads may still be asleep."""
_LEAST_ROUNDS, _IN_A_ROW = 3, 3


@api_boundary
@contextmanager
def measure(seconds: float = 0.1) -> Iterator[dict[str, dict[str, float]]]:
    """Measure the backends of each call that is evaluated in a ``with`` block, and use the fastest from then on.

    Each call is measured once, on the actual operands, as often as the budget allows; calls that were measured before
    are not measured again. Backends that may round differently are included unless `config.exact` is set.
    `config.backend` has no effect inside the block. Calls that other threads evaluate meanwhile are measured, too.

    Parameters
    ----------
    seconds : float
        The time budget of each call.

    Yields
    ------
    dict of str to dict of str to float
        For each measured call, the least time in seconds by backend.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> a = la.asarray(np.ones((64, 64)))
    >>> with la.backends.measure(0.01) as found:
    ...     _ = (a @ a).numpy()
    >>> [sorted(taken) for taken in found.values()]
    [['native', 'numpy']]
    >>> la.backends.forget()
    """
    given: Any = seconds
    if isinstance(given, bool) or not isinstance(given, numbers.Real) or not 0 <= float(given) < float("inf"):
        raise ValueError(f"measure: the budget must be seconds, got {given!r}")
    tuner = _Tuner(float(seconds))
    before = choice.set_tuner(tuner)
    try:
        yield tuner.found
    finally:
        choice.set_tuner(before)


@api_boundary
def forget() -> None:
    """Discard all measurements, those read from the file included."""
    measured.clear()
    choice.refresh()


class _Tuner:
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.found: dict[str, dict[str, float]] = {}

    def watch(self, name: str, function: Any, attributes: dict[str, Any], forms: list[Operand],
              run: Callable[..., Any]) -> Any:
        """Return a `_Timed` that measures a call, or the choice of a backend if there is nothing to measure."""
        usable, own = candidates(name, function, attributes, forms), own_name(function)
        if not usable or measured.of_just(name, attributes, forms) in {own, *usable}:
            return choice.chosen(name, function, attributes, forms)
        rows = rows_of(name)
        costs = costs_of([*usable.values(), *([rows[own]] if own in rows else [])], attributes, forms)
        least = min(costs.values(), default=0.0)
        ways = [Bound(row, attributes) for row in usable.values()
                if costs.get(row.name, least) <= NEAR_TIE * least or not least]
        return _Timed(self, name, own, attributes, forms, run, ways)


class _Timed:
    """A call that measures all backends, and returns the results of the fastest."""

    name = "measured"

    def __init__(self, tuner: _Tuner, operation: str, own: str, attributes: Mapping[str, Any], forms: list[Operand],
                 run: Callable[..., Any], ways: list[Bound]) -> None:
        self._tuner, self._operation, self._own = tuner, operation, own
        self._attributes, self._forms, self._run, self._ways = attributes, forms, run, ways

    def call(self, arrays: Iterable[np.ndarray]) -> Any:
        """Return the results of the fastest backend whose results have the right shapes and dtypes."""
        form = _form(self._run(*arrays))

        def call(way: Bound) -> Any:
            made = way.call(arrays)
            if _form(made) != form:
                raise RuntimeError
            return made

        return self._fastest({self._own: lambda: self._run(*arrays)} | {
            way.name: lambda way=way: call(way) for way in self._ways})()

    def fill(self, out: np.ndarray, arrays: Iterable[np.ndarray]) -> Any:
        """Fill an array by the fastest backend."""
        return self._fastest({self._own: lambda: self._run(out, *arrays)} | {
            way.name: lambda way=way: way.fill(out, arrays) for way in self._ways})()

    def _fastest(self, ways: dict[str, Callable[[], Any]]) -> Callable[[], Any]:
        with np.errstate(all="ignore"):
            taken = times(ways, self._tuner.seconds)
        best = min(taken, key=taken.__getitem__)
        if taken[self._own] <= CLEARLY * taken[best]:
            best = self._own
        measured.put(self._operation, self._attributes, self._forms, best)
        arguments = [f"{x.dtype}{list(x.shape)}" for x in self._forms]
        arguments += [f"{option}={value!r}" for option, value in self._attributes.items()]
        self._tuner.found[f"{self._operation}({', '.join(arguments)})"] = taken
        return ways[best]


def _form(made: Any) -> Any:
    return [_form(x) for x in made] if isinstance(made, tuple) else (np.shape(made), np.asarray(made).dtype)


def times(ways: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """Measure functions alternately; return the least seconds of each. All but the first may raise and are dropped.

    Each runs several times in a row, as a library's threads spin for a while and slow down what runs next.
    """
    best: dict[str, float] = {}
    for name, way in ways.items():
        try:
            way()  # what is imported or planned first
            best[name] = _seconds(way)
        except Exception:
            if not best:
                raise
    start, rounds = time.perf_counter(), 1
    while rounds < _LEAST_ROUNDS or time.perf_counter() - start < seconds:
        rounds += 1
        far = (VERY_FAR if rounds <= _LEAST_ROUNDS else FAR) * min(best.values())
        for name in [name for name in best if best[name] <= far]:
            best[name] = min(best[name], _seconds(ways[name]))
    return best


def _seconds(way: Callable[[], Any]) -> float:
    taken = []
    for _ in range(_IN_A_ROW):
        start = time.perf_counter()
        way()
        taken.append(time.perf_counter() - start)
    return min(taken)
