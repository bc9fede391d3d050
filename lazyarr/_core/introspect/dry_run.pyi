from typing import NamedTuple

import numpy as np

from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr._core.ir.graph_ir import Graph
from lazyarr._core.runtime.plan_cache import Plan

class Foreseen(NamedTuple):
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
    nodes: list[Foreseen]
    graph: Graph
    plan: Plan
    expected: list[float | None]
    places: dict[int, int]

def foresee(arrays: list[LazyArray]) -> Foresight: ...
