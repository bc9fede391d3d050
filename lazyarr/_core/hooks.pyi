from collections.abc import Callable
from typing import Any

def set_hook(name: str, function: Callable[..., Any] | None) -> None: ...
