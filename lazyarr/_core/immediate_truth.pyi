"""Truth at once, and instances of `ndarray`."""

from typing import Any

def is_array(obj: Any) -> bool: ...
