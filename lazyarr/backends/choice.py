"""The choice of a backend for each call: the requested one, the fastest measured one, or the cheapest exact one."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.frontend.trace_scope import set_waiting
from lazyarr._core.host import threads
from lazyarr._core.runtime import backend_choice, memo, reference
from lazyarr._core.runtime.evaluation_lock import held
from lazyarr.backends import table
from lazyarr.backends.measured import Measured
from lazyarr.backends.table import REFERENCE, Backend, Operand, attributes_of, own_name, rows_of

ALL = "*"
_REMEMBERED = 10_000  # calls

Choice: TypeAlias = str | dict[str, str] | None
Forms: TypeAlias = list[Operand]


class Bound:
    """A backend bound to the attributes of a call, as the core calls it."""

    __slots__ = ("_attributes", "_row", "name")

    def __init__(self, row: Backend, attributes: Mapping[str, Any]) -> None:
        self._row, self._attributes, self.name = row, attributes, row.name

    def call(self, arrays: Iterable[np.ndarray]) -> Any:
        """Compute the results for read-only ndarrays."""
        made = self._row.run(*arrays, **self._attributes, **({"out": None} if self._row.out else {}))
        if self._row.fresh:
            return made
        # Memory that is not an array's own is copied: a user's function may go on to change what it returned.
        return tuple([np.asarray(x).view() for x in made]) if isinstance(made, tuple) else np.asarray(made).view()

    def fill(self, out: np.ndarray, arrays: Iterable[np.ndarray]) -> Any:
        """Fill an array with the result; returns floating-point flags or None."""
        if self._row.out:
            flags = self._row.run(*arrays, **self._attributes, out=out)
            return flags if self._row.fresh else None
        made = np.asarray(self.call(arrays))
        if made.shape != out.shape or made.dtype != out.dtype:
            raise RuntimeError(f"{self._row.operation} [{self.name}] returned an array of shape {made.shape} and dtype "
                               f"{made.dtype}, expected {out.shape} and {out.dtype}")
        out[...] = made
        return None


class _State:
    def __init__(self) -> None:
        self.forced: dict[str, str] = {}  # backends by operation; under `ALL` that of the others
        self.fixed: dict[str, str] | None = None  # what a graph that is evaluated has in its place
        self.tuner: Any = None


measured = Measured()
_state = _State()
_known: dict[Any, Any] = {}
"""Cached choices: a `Bound` or None."""


# ---- what is asked for ---------------------------------------------------------------------------------


def checked(value: Any) -> dict[str, str]:
    """Check a value for `config.backend` and return it as a dict; raise TypeError or ValueError if it is invalid."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {ALL: table.check_name(value)}
    if not isinstance(value, Mapping):
        raise TypeError(f"backend must be a name, a mapping of operations to names, or None, got "
                        f"{type(value).__name__}")
    for operation in value:
        if operation != ALL:
            table.check_operation(operation)
    return {operation: table.check_name(name) for operation, name in value.items()}


def in_force() -> Choice:
    """Return the value of `config.backend`."""
    return as_choice(_state.forced) or None


def as_choice(forced: dict[str, str]) -> str | dict[str, str]:
    """Convert the result of `checked` back to a value of `config.backend`."""
    return forced[ALL] if [*forced] == [ALL] else dict(forced)


def as_mapping(value: Choice) -> dict[str, str]:
    """Convert a value of `config.backend` to a dict by operation."""
    return {ALL: value} if isinstance(value, str) else dict(value or {})


def put_in_force(value: Choice) -> None:
    """Request these backends, which may have been removed meanwhile, and no others."""
    forced = as_mapping(value)

    def change() -> None:
        _state.forced = forced
        memo.clear()
        set_waiting(bool(forced))
        _put_on()

    _between_evaluations(change)


@contextmanager
def fixed(forced: dict[str, str]) -> Iterator[None]:
    """Use these backends in a block instead of `config.backend`.

    The thread must hold the evaluation lock, as evaluations of other threads would use them, too.
    """
    before = _state.fixed

    def fix(forced: dict[str, str] | None) -> None:
        _state.fixed = forced
        _put_on()

    try:
        _between_evaluations(lambda: fix(forced))
        yield
    finally:
        _between_evaluations(lambda: fix(before))


def set_tuner(tuner: Any) -> Any:
    """Set the tuner that decides which backends run, or None; return the one before."""
    before = _state.tuner

    def change() -> None:
        _state.tuner = tuner
        refresh()

    _between_evaluations(change)
    return before


def _between_evaluations(change: Callable[[], None]) -> None:
    """Call a function while no evaluation runs; Ctrl-C meanwhile does not prevent the call."""
    interrupt = None
    while True:
        try:
            with held():
                change()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


def refresh() -> None:
    """Clear cached choices, and install the hook of the core if there is anything to choose."""
    _known.clear()
    _put_on()


def _asked_for() -> dict[str, str]:
    return _state.forced if _state.fixed is None else _state.fixed


def _put_on() -> None:
    """Install the hook of the core if there is anything to choose; bypass plans for the reference."""
    asked_for = _asked_for()
    reference.set_enabled(asked_for == {ALL: REFERENCE})
    is_open = asked_for or _state.tuner is not None or measured or table.has_costs()
    backend_choice.set_chooser(choose if is_open else None)


def _forget(operation: str) -> None:
    """Discard the measurements of an operation whose rows have changed."""
    measured.forget(operation)
    refresh()


table.on_change(_forget)


# ---- what is chosen ------------------------------------------------------------------------------------


def choose(name: str, function: Any, operands: tuple[Any, ...], run: Callable[..., Any]) -> Any:
    """Return the backend of a call, or None for its built-in implementation. Called by the core."""
    attributes, asked_for = attributes_of(function), _asked_for()
    tuner = _state.tuner
    if tuner is not None and (_state.fixed is None or _backend_for(name, asked_for) is None):
        return tuner.watch(name, function, attributes, [Operand(*x) for x in operands], run)
    options = [(option, value, repr(value)) for option, value in attributes.items()]  # True is no 1, -0.0 no 0.0
    settings = core.kernels.winograd.get_exact(), threads.get_num_threads()
    key: Any = name, own_name(function), *options, operands, settings, *asked_for.items()
    try:
        found = _known.get(key, _known)
    except TypeError:  # an argument that cannot be hashed
        key, found = None, _known
    if found is not _known:
        return found
    bound = chosen(name, function, attributes, [Operand(*x) for x in operands])
    if key is not None and (bound is None or bound.name != REFERENCE):  # which belongs to this function alone
        if len(_known) >= _REMEMBERED:
            _known.clear()
        _known[key] = bound
    return bound


def chosen(name: str, function: Any, attributes: Mapping[str, Any], forms: Forms) -> Bound | None:
    """Return the requested, fastest measured or cheapest exact backend of a call; None for its built-in one."""
    wanted = _backend_for(name, _asked_for())
    if wanted == REFERENCE:
        return _reference(name, function)
    usable = candidates(name, function, attributes, forms)
    if wanted is None:
        wanted = measured.of(name, attributes, forms) or _cheapest(name, function, usable, attributes, forms)
    return Bound(usable[wanted], attributes) if wanted in usable else None


def _backend_for(name: str, asked_for: dict[str, str]) -> str | None:
    return asked_for.get(name, asked_for.get(ALL))


def candidates(name: str, function: Any, attributes: Mapping[str, Any], forms: Forms) -> dict[str, Backend]:
    """Return the rows that accept a call, by name, without its built-in one; with `config.exact` only exact ones."""
    own, exact = own_name(function), core.kernels.winograd.get_exact()
    if own is None:
        return {}
    return {row.name: row for row in [*rows_of(name).values()]
            if row.name != own and (row.exact or not exact)
            and (row.accepts is None or _ask(row, row.accepts, attributes, forms))}


def costs_of(rows: Iterable[Backend], attributes: Mapping[str, Any], forms: Forms) -> dict[str, float]:
    """Return the estimated costs in nanoseconds by name, of rows that have an estimate."""
    return {row.name: float(_ask(row, row.cost, attributes, forms)) for row in rows if row.cost is not None}


def _ask(row: Backend, function: Callable[..., Any], attributes: Mapping[str, Any], forms: Forms) -> Any:
    try:
        return function(*forms, **attributes)
    except Exception as error:
        error.add_note(f"lazyarr: in {row.operation} [{row.name}], which was asked about a call")
        raise


def _cheapest(name: str, function: Any, usable: dict[str, Backend], attributes: Mapping[str, Any],
              forms: Forms) -> str | None:
    """Return the cheapest exact row if it is estimated to be faster than the call's built-in backend, or None."""
    costs = costs_of([row for row in usable.values() if row.exact], attributes, forms)
    own = rows_of(name).get(own_name(function))
    if not costs or own is None or own.cost is None:
        return None
    best = min(costs, key=costs.__getitem__)
    return best if costs[best] < costs_of([own], attributes, forms)[own.name] else None


def _reference(name: str, function: Any) -> Bound | None:
    """Return a kernel's plain NumPy implementation; for other calls None, as they are NumPy functions already."""
    is_kernel = isinstance(function, core.Kernel)
    return Bound(Backend(name, REFERENCE, function.reference), {}) if is_kernel else None
