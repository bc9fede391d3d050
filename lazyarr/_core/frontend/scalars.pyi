"""Scalar-like handles: 0-d results that behave as NumPy's scalars do."""
from typing import Any

class OfArrays:
    """A method or property that NumPy's arrays have and its scalars lack."""

    def __init__(self, name: str, attribute: Any) -> None: ...
    def __get__(self, x: Any, owner: type | None = None) -> Any: ...
