from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from lazyarr._core.array import LazyArray

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
) -> tuple[list[Foreseen], list[Any], list[float | None], Sequence[tuple[str, float, float]] | None, list[str]]: ...
