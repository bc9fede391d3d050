from typing import Any

import numpy as np

from lazyarr._core.frontend.lazy_array import Operand

def call_ufunc(ufunc: np.ufunc, args: tuple[Operand, ...], kwargs: dict[str, Any]) -> Any: ...
