import numpy as np

from lazyarr._core.ir.node import Kernel

class VectorProduct(Kernel):
    def cost(self, dtype: np.dtype, shape: tuple[int, ...], a: tuple[int, ...], b: tuple[int, ...]) -> float: ...
