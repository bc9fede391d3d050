"""Views: handles on a window of another array's storage, or on memory of an ndarray."""

import numpy as np

from lazyarr._core.frontend.lazy_array import LazyArray

def adopt(array: np.ndarray) -> LazyArray: ...
