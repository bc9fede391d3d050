from typing import Any

import numpy as np

from lazyarr._core.array import LazyArray, Operand

def asarray_operand(obj: Operand) -> LazyArray: ...
def call_ufunc(ufunc: np.ufunc, args: tuple[Operand, ...], kwargs: dict[str, Any]) -> Any: ...
