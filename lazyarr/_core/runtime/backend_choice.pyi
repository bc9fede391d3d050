from collections.abc import Callable
from typing import Any

def set_chooser(function: Callable[..., Any] | None) -> None: ...
