from collections.abc import Callable
from typing import Any

def guarded(function: Callable[..., Any], numpy_function: Callable[..., Any],
            checks_out: bool) -> Callable[..., Any]: ...
