"""Counts of fallbacks: operations that run as a plain NumPy call because they have no native lowering.

The core reports every opaque call that joins a graph, `lazyarr.ops.numpy_fallback` every function that evaluated its
arguments at once. Immediate calls on small arrays are counted by the functions themselves.
"""

from collections import Counter
from typing import Any

from lazyarr._core import api
from lazyarr._core.frontend import function
from lazyarr._core.host import device_table
from lazyarr.inspect import formatting
from lazyarr.ops import numpy_fallback

NOT_LOWERED = "no native lowering"
SMALL = "small arrays"

_counts: Counter[tuple[str, bool, str]] = Counter()


def counts() -> Counter[tuple[str, bool, str]]:
    """Return the number of calls so far by name, whether the call joined a graph, and the reason for the fallback."""
    found = _counts.copy()
    for name, calls in function.calls_of_numpy().items():
        found[name, False, numpy_fallback.REASON.get(name, SMALL)] += calls
    for driver in _drivers():
        for (name, reason), calls in driver.host_steps.items():
            why = f"no kernel on {driver.name}: {reason}" if reason else f"not on {driver.name}"
            found[formatting.listed(name.split(", ")), True, why] += calls
        for name, calls in driver.own_functions.items():
            found[name, True, f"the function of {driver.name}, whose bits may differ"] += calls
        for (name, library), calls in driver.library_calls.items():
            found[name, True, f"{library} on {driver.name}, whose bits may differ"] += calls
    return found


def clear() -> None:
    """Reset all counts to zero."""
    _counts.clear()
    function.forget_calls()
    for driver in _drivers():
        driver.host_steps.clear()
        driver.own_functions.clear()
        driver.library_calls.clear()


def _drivers() -> list[Any]:
    drivers = map(device_table.driver_of, range(device_table.count()))
    return [driver for driver in drivers if driver is not None]


def _joined_graph(name: str) -> None:
    _counts[name, True, NOT_LOWERED] += 1


def _ran_at_once(name: str) -> None:
    _counts[name, False, numpy_fallback.REASON.get(name, NOT_LOWERED)] += 1


api.set_hook("fallback", _joined_graph)
numpy_fallback.on_immediate(_ran_at_once)
