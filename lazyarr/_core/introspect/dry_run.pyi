from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr._core.ir.graph_ir import Graph

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
    steps: list[Any]
    expected: list[float | None]
    timeline: Sequence[tuple[str, float, float, int, tuple[tuple[int, float, float], ...]]] | None
    rewrites: list[str]
    places: dict[int, int]

def foresee(arrays: list[LazyArray]) -> Foresight: ...
