# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, ScalarT
from numpy._typing import ArrayLike, _HasDType
from typing import Any, overload

import numpy as np


def diag_indices(n: int, ndim: int = 2) -> tuple[LazyArray[np.intp], ...]: ...

def diag_indices_from(arr: ArrayLike) -> tuple[LazyArray[np.intp], ...]: ...

def fill_diagonal(a: Array[Any], val: object, wrap: bool = False) -> None: ...

@overload
def ix_() -> tuple[()]: ...
@overload
def ix_(
    *args: Sequence[_HasDType[np.dtype[ScalarT]]] | _HasDType[np.dtype[ScalarT]]
) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def ix_(*args: Sequence[str]) -> tuple[LazyArray[np.str_], ...]: ...
@overload
def ix_(*args: Sequence[bytes]) -> tuple[LazyArray[np.bytes_], ...]: ...
@overload
def ix_(*args: Sequence[int]) -> tuple[LazyArray[np.intp], ...]: ...
@overload
def ix_(*args: Sequence[float]) -> tuple[LazyArray[np.float64], ...]: ...
@overload
def ix_(*args: Sequence[complex]) -> tuple[LazyArray[np.complex128], ...]: ...
