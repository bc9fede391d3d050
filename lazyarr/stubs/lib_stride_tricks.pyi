# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Iterable
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import ScalarT
from numpy._typing import ArrayLike, _ArrayLike
from typing import overload

import numpy as np


def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[LazyArray, ...]: ...

@overload
def broadcast_to(array: _ArrayLike[ScalarT], shape: int | Iterable[int], subok: bool = False) -> LazyArray[ScalarT]: ...
@overload
def broadcast_to(array: ArrayLike, shape: int | Iterable[int], subok: bool = False) -> LazyArray: ...
