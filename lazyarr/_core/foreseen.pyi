from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lazyarr._core.array import LazyArray
from lazyarr.graph.programs import Step

class Foreseen(NamedTuple):
    kind: int
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    nbytes: int
    inputs: tuple[int, ...]
    wanted: bool
    line: tuple[str, int, str]

def foresee(
    arrays: list[LazyArray],
) -> tuple[
    list[Foreseen], list[Step], list[tuple[int, int]], list[float | None], Sequence[float] | None
]: ...
