from collections.abc import Callable
from typing import Any

import numpy as np

def has_scan(ufunc: Callable[..., Any], dtype: np.dtype[Any]) -> bool: ...
def scan(out: np.ndarray, x: np.ndarray, axis: int, product: bool) -> int: ...
