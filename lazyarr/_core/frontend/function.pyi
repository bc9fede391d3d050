"""How a call of the drop-in face is dispatched."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr._core.frontend.lazy_array import LazyArray

class Function:
    values: Callable[..., Any] | None
    lazily: Callable[..., Any]
    waits: bool
    def __init__(
        self,
        name: str,
        lazily: Callable[..., Any],
        values: Callable[..., Any] | None = ...,
        writes: bool = ...,
        room: float = ...,
        waits: bool = ...,
        method: bool = ...,
        counted: int = ...,
        out: int = ...,
        by_method: Callable[..., Any] | None = ...,
        largest: float = ...,
        evaluates: int = ...,
        views: bool = ...,
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class UfuncCaller:
    ufunc: np.ufunc
    waits: bool
    def __init__(self, ufunc: np.ufunc, waits: bool = ...) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

def enable_vectorcall(subclass: type[UfuncCaller]) -> None: ...
def waiting(x: LazyArray) -> LazyArray: ...
def values_at_once(function: Callable[..., Any], args: tuple[Any, ...], writes: bool = ...) -> Any: ...
def calls_of_numpy() -> dict[str, int]: ...
def forget_calls() -> None: ...
class UnboundFunction(Function): ...

def named(function: Function, original: Callable[..., Any], module: str) -> Function: ...
