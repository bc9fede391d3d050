from typing import Any

from lazyarr.array_api import fft as fft
from lazyarr.array_api import linalg as linalg

# Every name of the array API standard, with its signature, and every other public name of numpy.
def __getattr__(name: str) -> Any: ...
