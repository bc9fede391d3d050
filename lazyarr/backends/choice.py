"""The choice of a backend for each call: one that is asked for, that was measured, or that costs least and is exact."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.frontend.trace_scope import set_waiting
from lazyarr._core.host import threads
from lazyarr._core.runtime import backend_choice, reference
from lazyarr._core.runtime.evaluation_lock import held
from lazyarr.backends import table
from lazyarr.backends.measured import Measured
from lazyarr.backends.table import REFERENCE, Backend, Operand, attributes_of, own_name, rows_of

ALL = "*"
_REMEMBERED = 10_000  # calls

Choice: TypeAlias = str | dict[str, str] | None
Forms: TypeAlias = list[Operand]


class Bound:
    """A backend with the fixed arguments of a call, as the core wants it."""

    __slots__ = ("_attributes", "_row", "name")

    def __init__(self, row: Backend, attributes: Mapping[str, Any]) -> None:
        self._row, self._attributes, self.name = row, attributes, row.name

    def call(self, arrays: Iterable[np.ndarray]) -> Any:
        """The results for read-only ndarrays."""
        made = self._row.run(*arrays, **self._attributes)
        if self._row.fresh:
            return made
        # Memory that is not an array's own is copied: a user's function may go on to change what it returned.
        return tuple([np.asarray(x).view() for x in made]) if isinstance(made, tuple) else np.asarray(made).view()

    def fill(self, out: np.ndarray, arrays: Iterable[np.ndarray]) -> Any:
        """Fill an array with the result; returns floating-point flags or None."""
        if self._row.out:
            return self._row.run(*arrays, **self._attributes, out=out)
        made = np.asarray(self.call(arrays))
        if made.shape != out.shape or made.dtype != out.dtype:
            raise RuntimeError(f"{self._row.operation} [{self.name}] returned an array of shape {made.shape} and dtype "
                               f"{made.dtype}, expected {out.shape} and {out.dtype}")
        out[...] = made
        return None


class _State:
    forced: dict[str, str] = {}  # noqa: RUF012 - replaced, never changed
    """The backends that are asked for, by operation; under `ALL` that of the others."""
    tuner: Any = None


measured = Measured()
_state = _State()
_known: dict[Any, Bound | None] = {}


# ---- what is asked for ---------------------------------------------------------------------------------


def checked(value: Any) -> dict[str, str]:
    """What `config.backend` is set to, as a dict; TypeError or ValueError for what it cannot be."""
    if value is None:
        return {}
    if isinstance(value, str):
        return {ALL: table.check_name(value)}
    if not isinstance(value, Mapping):
        raise TypeError(f"config.backend must be a name, a mapping of operations to names, or None, got "
                        f"{type(value).__name__}")
    for operation in value:
        if operation != ALL:
            table.check_operation(operation)
    return {operation: table.check_name(name) for operation, name in value.items()}


def in_force() -> Choice:
    """What `config.backend` is."""
    forced = _state.forced
    return None if not forced else forced[ALL] if [*forced] == [ALL] else dict(forced)


def put_in_force(value: Choice) -> None:
    """Ask for these backends, and for no others."""
    forced = checked(value)

    def change() -> None:
        _state.forced = forced
        set_waiting(bool(forced))
        reference.set_enabled(forced == {ALL: REFERENCE})
        refresh()

    _between_evaluations(change)


def set_tuner(tuner: Any) -> Any:
    """Have a tuner decide which backends run, None to go on without; returns the one before."""
    before = _state.tuner

    def change() -> None:
        _state.tuner = tuner
        refresh()

    _between_evaluations(change)
    return before


def _between_evaluations(change: Callable[[], None]) -> None:
    """Change what is in force when no evaluation runs; Ctrl-C meanwhile does not keep it from being changed."""
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
    """Forget what was chosen, and have the core ask if there is anything to choose."""
    _known.clear()
    is_open = _state.forced or _state.tuner is not None or measured or table.has_costs()
    backend_choice.set_chooser(choose if is_open else None)


def _forget(operation: str) -> None:
    """What was measured says nothing about other rows."""
    measured.forget(operation)
    refresh()


table.on_change(_forget)


# ---- what is chosen ------------------------------------------------------------------------------------


def choose(name: str, function: Any, operands: tuple[Any, ...], run: Callable[..., Any]) -> Any:
    """The backend of a call, None for its own function: what the core asks."""
    attributes = attributes_of(function)
    tuner = _state.tuner
    if tuner is not None:
        return tuner.watch(name, function, attributes, [Operand(*x) for x in operands], run)
    fixed = [(option, type(value), value) for option, value in attributes.items()]  # True is no 1
    settings = core.kernels.winograd.get_exact(), threads.get_num_threads()
    key = name, own_name(function), *fixed, operands, settings
    try:
        return _known[key]
    except KeyError:
        found = chosen(name, function, attributes, [Operand(*x) for x in operands])
    except TypeError:  # an argument that cannot be hashed
        return chosen(name, function, attributes, [Operand(*x) for x in operands])
    if len(_known) >= _REMEMBERED:
        _known.clear()
    _known[key] = found
    return found


def chosen(name: str, function: Any, attributes: Mapping[str, Any], forms: Forms) -> Bound | None:
    """The backend of a call that is asked for, was measured, or is the cheapest exact one; None for its own."""
    wanted = _state.forced.get(name, _state.forced.get(ALL))
    if wanted == REFERENCE:
        return _reference(name, function)
    usable = candidates(name, function, attributes, forms)
    if wanted is None:
        wanted = measured.of(name, attributes, forms) or _cheapest(name, function, usable, attributes, forms)
    return Bound(usable[wanted], attributes) if wanted in usable else None


def candidates(name: str, function: Any, attributes: Mapping[str, Any], forms: Forms) -> dict[str, Backend]:
    """The rows besides its own function that accept a call, by name; with `config.exact` those that are exact."""
    own, exact = own_name(function), core.kernels.winograd.get_exact()
    return {row.name: row for row in rows_of(name).values()
            if row.name != own and (row.exact or not exact)
            and (row.accepts is None or row.accepts(*forms, **attributes))}


def cost_of_own(name: str, function: Any, attributes: Mapping[str, Any], forms: Forms) -> float | None:
    """Estimated nanoseconds of a call's own function, by the row of its name; None if there is no estimate."""
    row = rows_of(name).get(own_name(function))
    return None if row is None or row.cost is None else row.cost(*forms, **attributes)


def _cheapest(name: str, function: Any, usable: dict[str, Backend], attributes: Mapping[str, Any],
              forms: Forms) -> str | None:
    """The exact row that is expected to be faster than the call's own function, if there is one."""
    costs = {row.name: row.cost(*forms, **attributes) for row in usable.values() if row.exact and row.cost is not None}
    own = cost_of_own(name, function, attributes, forms) if costs else None
    best = min(costs, key=costs.__getitem__) if costs else None
    return best if best is not None and own is not None and costs[best] < own else None


def _reference(name: str, function: Any) -> Bound | None:
    """A kernel's plain NumPy code; other calls are of such functions."""
    is_kernel = isinstance(function, core.Kernel)
    return Bound(Backend(name, REFERENCE, function.reference), {}) if is_kernel else None
