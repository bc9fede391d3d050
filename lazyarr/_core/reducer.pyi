from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lazyarr._core.array import LazyArray

def reduce(u: np.ufunc, x: LazyArray, axes: Iterable[int], keepdims: bool = False) -> LazyArray | None: ...

# The call is a fold over axes, or the wrapped function's; it can be a method like that.
class Reducer:
    def __init__(self, ufunc: np.ufunc, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, instance: Any, owner: type[Any] | None) -> Any: ...
