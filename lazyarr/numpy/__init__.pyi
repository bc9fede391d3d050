from typing import Any

from lazyarr.numpy import fft as fft
from lazyarr.numpy import linalg as linalg
from lazyarr.numpy import random as random
from lazyarr.numpy.ndarray import ndarray as ndarray

# Every public name of numpy, with NumPy's signature.
def __getattr__(name: str) -> Any: ...
