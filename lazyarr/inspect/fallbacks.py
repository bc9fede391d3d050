"""Counts what ran as a plain NumPy call because it has no native lowering yet.

The core tells of every opaque call that joins a graph, `lazyarr.ops.opaque` of every function that evaluated its
arguments where it was written.
"""

from collections import Counter

from lazyarr._core import api
from lazyarr.ops import opaque

NOT_LOWERED = "no native lowering"

counts: Counter[tuple[str, bool, str]] = Counter()
"""How often each has run: its name, whether it joined a graph, why it is a call."""


def _joined_graph(name: str) -> None:
    counts[name, True, NOT_LOWERED] += 1


def _ran_at_once(name: str) -> None:
    counts[name, False, opaque.REASON.get(name, NOT_LOWERED)] += 1


api.set_hook("fallback", _joined_graph)
opaque.on_immediate(_ran_at_once)
