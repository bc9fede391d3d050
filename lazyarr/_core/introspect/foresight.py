"""The results of a dry run."""
from typing import NamedTuple

import numpy as np

from lazyarr._core.ir.graph_ir import Graph
from lazyarr._core.runtime.plan_cache import Plan


class Foreseen(NamedTuple):
    """A node: inputs are positions of nodes before it, `nbytes` its storage, `line` (file, number, function).

    ``stored`` is False for results of steps of which only a part is in memory at any time.
    """

    kind: int
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    nbytes: int
    inputs: tuple[int, ...]
    wanted: bool
    line: tuple[str, int, str]
    stored: bool = True


class Foresight(NamedTuple):
    """The steps and values of an evaluation that has not run.

    Attributes
    ----------
    nodes : list of Foreseen
    graph : Graph
        The description that passes get.
    plan : Plan
        Its ``timeline`` has by step the name, start and seconds in the last evaluation with this plan that was
        profiled, the thread that ran it (0 evaluates) and, if it had teams, of each of their threads the number, start
        and seconds of what it did; None without one. ``rewrites`` are the names of the rewrite rules that were
        applied, one for each time.
    expected : list of float or None
        Nanoseconds by step on one thread, where the costs of its operations are known.
    places : dict of int to int
        Offsets in the arena by the node that is the first to lie there.
    """

    nodes: list[Foreseen]
    graph: Graph
    plan: Plan
    expected: list[float | None]
    places: dict[int, int]
