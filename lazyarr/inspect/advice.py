"""Advice on a profile: a sentence or two on where the time went."""

from collections.abc import Mapping, Sequence

from lazyarr.inspect import formatting

LEAST = 0.1
"""The minimum share of the time that is worth a sentence."""

SENTENCES = 2
NAMES = 3
"""The maximum numbers of sentences, and of names in each."""


def advice(wall: float, evaluating: float, planning: float, steps: Mapping[str, float], numpys: Mapping[str, float],
           plans: Mapping[str, int], at_once: Sequence[str]) -> str:
    """Name the largest parts of a program's time; return an empty text if it evaluated nothing.

    Parameters
    ----------
    wall, evaluating, planning : float
        Total time, time in evaluations, and time of these spent planning, in seconds.
    steps, numpys : mapping of str to float
        Time of lazyarr's steps and of NumPy calls inside evaluations, in seconds, by name.
    plans : mapping of str to int
        ``hits`` and ``misses`` of the plan cache.
    at_once : sequence of str
        Names of NumPy's functions that were called outside evaluations, the most frequent first.
    """
    if not evaluating:
        return ""
    owner = "which is NumPy's" if len(numpys) == 1 else "which are NumPy's"
    met = f"{plans['misses']:,} of {formatting.count(plans['hits'] + plans['misses'], 'evaluation')}"
    calls = f", and in NumPy's {_listed(at_once)}" if at_once else ""
    longest = next(iter(_longest(steps)), "").split(", ")
    called = [formatting.listed(name.split(", "), NAMES) for name in _longest(numpys)]
    parts = [
        (sum(numpys.values()), f"in {_listed(called)}, {owner}"),
        (planning, f"making plans, as {met} met a graph for the first time"),
        (wall - evaluating, f"outside evaluations, in Python and building graphs{calls}"),
        (sum(steps.values()), f"in lazyarr's steps, the longest of which is {_listed(longest)}"),
    ]
    worth = sorted((part for part in parts if part[0] >= LEAST * wall), key=lambda part: -part[0])
    return " ".join(f"{min(100 * s / wall, 100):.0f} % of the time {where}." for s, where in worth[:SENTENCES])


def _longest(seconds: Mapping[str, float]) -> list[str]:
    return sorted(seconds, key=lambda name: -seconds[name])


def _listed(names: Sequence[str]) -> str:
    """Join names as in "copy, multiply, clip and 4 others"."""
    rest = len(names) - NAMES
    shown = [*names[:NAMES], *([formatting.count(rest, "other")] if rest > 0 else [])]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)
