"""NumPy's own functions on ready arrays."""

from collections.abc import Callable
from typing import Any

class DrawOrder:
    _token: object
    def waits(self) -> bool: ...

def add_generator(kind: type) -> None: ...
def values_at_once(function: Callable[..., Any], args: tuple[Any, ...], writes: bool = ...) -> Any: ...
