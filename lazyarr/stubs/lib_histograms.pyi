# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from numpy._typing import ArrayLike
from typing import Literal, SupportsIndex, TypeAlias

import numpy as np

_BinKind: TypeAlias = Literal['stone', 'auto', 'doane', 'fd', 'rice', 'scott', 'sqrt', 'sturges']

def histogram(
    a: ArrayLike, bins: _BinKind | SupportsIndex | ArrayLike = 10, range: tuple[float, float] | None = None,
    density: bool | None = None, weights: ArrayLike | None = None
) -> tuple[LazyArray, LazyArray]: ...

def histogram_bin_edges(
    a: ArrayLike, bins: _BinKind | SupportsIndex | ArrayLike = 10, range: tuple[float, float] | None = None,
    weights: ArrayLike | None = None
) -> LazyArray: ...

def histogramdd(
    sample: ArrayLike, bins: SupportsIndex | ArrayLike = 10, range: Sequence[tuple[float, float]] | None = None,
    density: bool | None = None, weights: ArrayLike | None = None
) -> tuple[LazyArray, tuple[LazyArray, ...]]: ...
