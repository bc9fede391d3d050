# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import ScalarT
from numpy._typing import DTypeLike, _ArrayLikeComplex_co, _ArrayLikeFloat_co, _DTypeLike
from numpy._typing._array_like import _DualArrayLike
from typing import Literal, SupportsIndex, TypeAlias, overload

import numpy as np

_ToArrayFloat64: TypeAlias = _DualArrayLike[np.dtype[np.float64 | np.integer | np.bool], float]

@overload
def geomspace(
    start: _ToArrayFloat64, stop: _ToArrayFloat64, num: SupportsIndex = 50, endpoint: bool = True, dtype: None = None,
    axis: SupportsIndex = 0
) -> LazyArray[np.float64]: ...
@overload
def geomspace(
    start: _ArrayLikeFloat_co, stop: _ArrayLikeFloat_co, num: SupportsIndex = 50, endpoint: bool = True,
    dtype: None = None, axis: SupportsIndex = 0
) -> LazyArray[np.floating]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    dtype: None = None, axis: SupportsIndex = 0
) -> LazyArray[np.complexfloating]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0
) -> LazyArray[ScalarT]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool, dtype: type[bool],
    axis: SupportsIndex = 0
) -> LazyArray[np.bool]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool, dtype: type[int],
    axis: SupportsIndex = 0
) -> LazyArray[np.intp]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool, dtype: type[float],
    axis: SupportsIndex = 0
) -> LazyArray[np.float64]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool, dtype: type[complex],
    axis: SupportsIndex = 0
) -> LazyArray[np.complex128]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0
) -> LazyArray[ScalarT]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    dtype: type[bool], axis: SupportsIndex = 0
) -> LazyArray[np.bool]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    dtype: type[int], axis: SupportsIndex = 0
) -> LazyArray[np.intp]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    dtype: type[float], axis: SupportsIndex = 0
) -> LazyArray[np.float64]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    dtype: type[complex], axis: SupportsIndex = 0
) -> LazyArray[np.complex128]: ...
@overload
def geomspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    dtype: DTypeLike | None = None, axis: SupportsIndex = 0
) -> LazyArray: ...

@overload
def linspace(
    start: _ToArrayFloat64, stop: _ToArrayFloat64, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, dtype: None = None, axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def linspace(
    start: _ArrayLikeFloat_co, stop: _ArrayLikeFloat_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, dtype: None = None, axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.floating]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, dtype: None = None, axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.complexfloating]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    retstep: Literal[False], dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    retstep: Literal[False], dtype: type[bool], axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    retstep: Literal[False], dtype: type[int], axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    retstep: Literal[False], dtype: type[float], axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    retstep: Literal[False], dtype: type[complex], axis: SupportsIndex = 0, *, device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, *, dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, *, dtype: type[bool], axis: SupportsIndex = 0, device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, *, dtype: type[int], axis: SupportsIndex = 0, device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, *, dtype: type[float], axis: SupportsIndex = 0, device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, *, dtype: type[complex], axis: SupportsIndex = 0, device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    retstep: Literal[False] = False, dtype: DTypeLike | None = None, axis: SupportsIndex = 0, *,
    device: str | None = None
) -> LazyArray: ...
@overload
def linspace(
    start: _ToArrayFloat64, stop: _ToArrayFloat64, num: SupportsIndex = 50, endpoint: bool = True, *,
    retstep: Literal[True], dtype: None = None, axis: SupportsIndex = 0, device: str | None = None
) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
@overload
def linspace(
    start: _ArrayLikeFloat_co, stop: _ArrayLikeFloat_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    retstep: Literal[True], dtype: None = None, axis: SupportsIndex = 0, device: str | None = None
) -> tuple[LazyArray[np.floating], LazyArray[np.floating]]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    retstep: Literal[True], dtype: None = None, axis: SupportsIndex = 0, device: str | None = None
) -> tuple[LazyArray[np.complexfloating], LazyArray[np.complexfloating]]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    retstep: Literal[True], dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0, device: str | None = None
) -> tuple[LazyArray[ScalarT], LazyArray[ScalarT]]: ...
@overload
def linspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True, *,
    retstep: Literal[True], dtype: DTypeLike | None = None, axis: SupportsIndex = 0, device: str | None = None
) -> tuple[LazyArray, LazyArray]: ...

@overload
def logspace(
    start: _ToArrayFloat64, stop: _ToArrayFloat64, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ToArrayFloat64 = 10.0, dtype: None = None, axis: SupportsIndex = 0
) -> LazyArray[np.float64]: ...
@overload
def logspace(
    start: _ArrayLikeFloat_co, stop: _ArrayLikeFloat_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeFloat_co = 10.0, dtype: None = None, axis: SupportsIndex = 0
) -> LazyArray[np.floating]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, dtype: None = None, axis: SupportsIndex = 0
) -> LazyArray[np.complexfloating]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    base: _ArrayLikeComplex_co, dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0
) -> LazyArray[ScalarT]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    base: _ArrayLikeComplex_co, dtype: type[bool], axis: SupportsIndex = 0
) -> LazyArray[np.bool]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    base: _ArrayLikeComplex_co, dtype: type[int], axis: SupportsIndex = 0
) -> LazyArray[np.intp]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    base: _ArrayLikeComplex_co, dtype: type[float], axis: SupportsIndex = 0
) -> LazyArray[np.float64]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex, endpoint: bool,
    base: _ArrayLikeComplex_co, dtype: type[complex], axis: SupportsIndex = 0
) -> LazyArray[np.complex128]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, *, dtype: _DTypeLike[ScalarT], axis: SupportsIndex = 0
) -> LazyArray[ScalarT]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, *, dtype: type[bool], axis: SupportsIndex = 0
) -> LazyArray[np.bool]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, *, dtype: type[int], axis: SupportsIndex = 0
) -> LazyArray[np.intp]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, *, dtype: type[float], axis: SupportsIndex = 0
) -> LazyArray[np.float64]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, *, dtype: type[complex], axis: SupportsIndex = 0
) -> LazyArray[np.complex128]: ...
@overload
def logspace(
    start: _ArrayLikeComplex_co, stop: _ArrayLikeComplex_co, num: SupportsIndex = 50, endpoint: bool = True,
    base: _ArrayLikeComplex_co = 10.0, dtype: DTypeLike | None = None, axis: SupportsIndex = 0
) -> LazyArray: ...
