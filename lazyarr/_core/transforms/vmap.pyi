from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr._core.frontend.lazy_array import LazyArray

class Call:
    name: str
    function: Callable[..., Any]
    shape: tuple[int, ...]
    dtype: np.dtype
    several: bool

class Each:
    def __call__(self, *arrays: np.ndarray) -> Any: ...
    def pull_back(
        self, g: Any, out: Any, operands: Sequence[LazyArray], wanted: Sequence[bool]
    ) -> list[LazyArray | None]: ...

def add_batch_rule(name: str, rule: Callable[..., Any]) -> None: ...
def batch(
    results: Sequence[LazyArray], traced: Sequence[LazyArray], given: Sequence[LazyArray], size: int,
    is_closed: bool = False
) -> list[LazyArray | None]: ...
def stand_in_for_batch(one: LazyArray, size: int) -> LazyArray: ...
def stored_as(batched: LazyArray, one: LazyArray, size: int) -> LazyArray: ...
