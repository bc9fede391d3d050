# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Callable, Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, OutT, ScalarT
from numpy._typing import (
    ArrayLike, DTypeLike, _ArrayLike, _DTypeLike, _NumberLike_co, _ScalarLike_co, _SupportsArray, _SupportsArrayFunc)
from typing import Any, Literal, Protocol, TypeAlias, overload
from typing_extensions import TypeVar

import numpy as np

_OrderCF: TypeAlias = Literal['C', 'F'] | None
_ArrayLike1D: TypeAlias = _SupportsArray[np.dtype[ScalarT]] | Sequence[ScalarT]
_ComplexT = TypeVar('_ComplexT', bound=np.complexfloating)
_Int_co: TypeAlias = np.integer | np.bool
_Float_co: TypeAlias = np.floating | _Int_co
_ArrayLike1DFloat_co: TypeAlias = _SupportsArray[np.dtype[_Float_co]] | Sequence[float | _Float_co]
_ArrayLike2DFloat_co: TypeAlias = _SupportsArray[np.dtype[_Float_co]] | Sequence[_ArrayLike1DFloat_co]
_Histogram2D: TypeAlias = tuple[Array[np.float64], Array[ScalarT], Array[ScalarT]]
_InexactT = TypeVar('_InexactT', bound=np.inexact)
_ArrayLike1DInt_co: TypeAlias = _SupportsArray[np.dtype[_Int_co]] | Sequence[int | _Int_co]
_Number_co: TypeAlias = np.number | np.bool
_ArrayLike1DNumber_co: TypeAlias = _SupportsArray[np.dtype[_Number_co]] | Sequence[complex | _Number_co]
_NumberCoT = TypeVar('_NumberCoT', bound=_Number_co)
_T = TypeVar('_T')
_MaskFunc: TypeAlias = Callable[[Array[np.int_], _T], Array[_Number_co | np.timedelta64 | np.datetime64 | np.object_]]
_Indices2D: TypeAlias = tuple[Array[np.intp], Array[np.intp]]
class _HasShapeAndNDim(Protocol):

    @property
    def shape(self) -> tuple[int, ...]:
        ...

    @property
    def ndim(self) -> int:
        ...
_NumberObjectT = TypeVar('_NumberObjectT', bound=np.number | np.object_)

@overload
def diag(v: Array[ScalarT] | Sequence[Sequence[ScalarT]], k: int = 0) -> LazyArray[ScalarT]: ...
@overload
def diag(v: Array[ScalarT] | Sequence[ScalarT], k: int = 0) -> LazyArray[ScalarT]: ...
@overload
def diag(v: Sequence[Sequence[_ScalarLike_co]], k: int = 0) -> LazyArray: ...
@overload
def diag(v: Sequence[_ScalarLike_co], k: int = 0) -> LazyArray: ...
@overload
def diag(v: _ArrayLike[ScalarT], k: int = 0) -> LazyArray[ScalarT]: ...
@overload
def diag(v: ArrayLike, k: int = 0) -> LazyArray: ...

@overload
def diagflat(v: _ArrayLike[ScalarT], k: int = 0) -> LazyArray[ScalarT]: ...
@overload
def diagflat(v: ArrayLike, k: int = 0) -> LazyArray: ...

@overload
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: None = ..., order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def eye(
    N: int, M: int | None, k: int, dtype: _DTypeLike[ScalarT], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def eye(
    N: int, M: int | None, k: int, dtype: type[bool], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def eye(
    N: int, M: int | None, k: int, dtype: type[int], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def eye(
    N: int, M: int | None, k: int, dtype: type[float], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def eye(
    N: int, M: int | None, k: int, dtype: type[complex], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def eye(
    N: int, M: int | None = None, k: int = 0, *, dtype: _DTypeLike[ScalarT], order: _OrderCF = 'C',
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def eye(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[bool], order: _OrderCF = 'C', device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def eye(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[int], order: _OrderCF = 'C', device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def eye(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[float], order: _OrderCF = 'C', device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def eye(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[complex], order: _OrderCF = 'C',
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def eye(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = ..., order: _OrderCF = 'C', *,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def fliplr(m: OutT) -> OutT: ...
@overload
def fliplr(m: _ArrayLike[ScalarT]) -> LazyArray[ScalarT]: ...
@overload
def fliplr(m: ArrayLike) -> LazyArray: ...

@overload
def flipud(m: OutT) -> OutT: ...
@overload
def flipud(m: _ArrayLike[ScalarT]) -> LazyArray[ScalarT]: ...
@overload
def flipud(m: ArrayLike) -> LazyArray: ...

@overload
def histogram2d(
    x: _ArrayLike1D[_ComplexT], y: _ArrayLike1D[_ComplexT | _Float_co], bins: int | Sequence[int] = 10,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_ComplexT]: ...
@overload
def histogram2d(
    x: _ArrayLike1D[_ComplexT | _Float_co], y: _ArrayLike1D[_ComplexT], bins: int | Sequence[int] = 10,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_ComplexT]: ...
@overload
def histogram2d(
    x: _ArrayLike1D[_InexactT], y: _ArrayLike1D[_InexactT | _Int_co], bins: int | Sequence[int] = 10,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_InexactT]: ...
@overload
def histogram2d(
    x: _ArrayLike1D[_InexactT | _Int_co], y: _ArrayLike1D[_InexactT], bins: int | Sequence[int] = 10,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_InexactT]: ...
@overload
def histogram2d(
    x: _ArrayLike1DInt_co | Sequence[float], y: _ArrayLike1DInt_co | Sequence[float], bins: int | Sequence[int] = 10,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.float64]: ...
@overload
def histogram2d(
    x: Sequence[complex], y: Sequence[complex], bins: int | Sequence[int] = 10,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.complex128 | Any]: ...
@overload
def histogram2d(
    x: _ArrayLike1DNumber_co, y: _ArrayLike1DNumber_co,
    bins: _ArrayLike1D[_NumberCoT] | Sequence[_ArrayLike1D[_NumberCoT]], range: _ArrayLike2DFloat_co | None = None,
    density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_NumberCoT]: ...
@overload
def histogram2d(
    x: _ArrayLike1D[_InexactT], y: _ArrayLike1D[_InexactT], bins: Sequence[_ArrayLike1D[_NumberCoT] | int],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_InexactT | _NumberCoT]: ...
@overload
def histogram2d(
    x: _ArrayLike1D[_InexactT], y: _ArrayLike1D[_InexactT], bins: Sequence[_ArrayLike1DNumber_co | int],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[_InexactT | Any]: ...
@overload
def histogram2d(
    x: _ArrayLike1DInt_co | Sequence[float], y: _ArrayLike1DInt_co | Sequence[float],
    bins: Sequence[_ArrayLike1D[_NumberCoT] | int], range: _ArrayLike2DFloat_co | None = None,
    density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.float64 | _NumberCoT]: ...
@overload
def histogram2d(
    x: _ArrayLike1DInt_co | Sequence[float], y: _ArrayLike1DInt_co | Sequence[float],
    bins: Sequence[_ArrayLike1DNumber_co | int], range: _ArrayLike2DFloat_co | None = None,
    density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.float64]: ...
@overload
def histogram2d(
    x: Sequence[complex], y: Sequence[complex], bins: Sequence[_ArrayLike1D[_NumberCoT] | int],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.complex128 | _NumberCoT]: ...
@overload
def histogram2d(
    x: Sequence[complex], y: Sequence[complex], bins: Sequence[_ArrayLike1DNumber_co | int],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.complex128 | Any]: ...
@overload
def histogram2d(
    x: _ArrayLike1DNumber_co, y: _ArrayLike1DNumber_co, bins: Sequence[Sequence[int]],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.int_]: ...
@overload
def histogram2d(
    x: _ArrayLike1DNumber_co, y: _ArrayLike1DNumber_co, bins: Sequence[Sequence[float]],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.float64]: ...
@overload
def histogram2d(
    x: _ArrayLike1DNumber_co, y: _ArrayLike1DNumber_co, bins: Sequence[Sequence[complex]],
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[np.complex128 | Any]: ...
@overload
def histogram2d(
    x: _ArrayLike1DNumber_co, y: _ArrayLike1DNumber_co, bins: Sequence[_ArrayLike1DNumber_co | int] | int,
    range: _ArrayLike2DFloat_co | None = None, density: bool | None = None, weights: _ArrayLike1DFloat_co | None = None
) -> _Histogram2D[Any]: ...

@overload
def mask_indices(n: int, mask_func: _MaskFunc[int], k: int = 0) -> _Indices2D: ...
@overload
def mask_indices(n: int, mask_func: _MaskFunc[_T], k: _T) -> _Indices2D: ...

@overload
def tri(
    N: int, M: int | None = None, k: int = 0, dtype: None = ..., *, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def tri(
    N: int, M: int | None, k: int, dtype: _DTypeLike[ScalarT], *, like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def tri(
    N: int, M: int | None, k: int, dtype: type[bool], *, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def tri(
    N: int, M: int | None, k: int, dtype: type[int], *, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def tri(
    N: int, M: int | None, k: int, dtype: type[float], *, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def tri(
    N: int, M: int | None, k: int, dtype: type[complex], *, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def tri(
    N: int, M: int | None = None, k: int = 0, *, dtype: _DTypeLike[ScalarT], like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def tri(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[bool], like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def tri(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[int], like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def tri(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[float], like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def tri(
    N: int, M: int | None = None, k: int = 0, *, dtype: type[complex], like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def tri(
    N: int, M: int | None = None, k: int = 0, dtype: DTypeLike | None = ..., *, like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def tril(m: OutT, k: int = 0) -> OutT: ...
@overload
def tril(m: _ArrayLike[ScalarT], k: int = 0) -> LazyArray[ScalarT]: ...
@overload
def tril(m: ArrayLike, k: int = 0) -> LazyArray: ...

def tril_indices(n: int, k: int = 0, m: int | None = None) -> _Indices2D: ...

def tril_indices_from(arr: _HasShapeAndNDim, k: int = 0) -> _Indices2D: ...

@overload
def triu(m: OutT, k: int = 0) -> OutT: ...
@overload
def triu(m: _ArrayLike[ScalarT], k: int = 0) -> LazyArray[ScalarT]: ...
@overload
def triu(m: ArrayLike, k: int = 0) -> LazyArray: ...

def triu_indices(n: int, k: int = 0, m: int | None = None) -> _Indices2D: ...

def triu_indices_from(arr: _HasShapeAndNDim, k: int = 0) -> _Indices2D: ...

@overload
def vander(
    x: _ArrayLike1D[_NumberObjectT], N: int | None = None, increasing: bool = False
) -> LazyArray[_NumberObjectT]: ...
@overload
def vander(
    x: _ArrayLike1D[np.bool] | list[int], N: int | None = None, increasing: bool = False
) -> LazyArray[np.int_]: ...
@overload
def vander(x: list[float], N: int | None = None, increasing: bool = False) -> LazyArray[np.float64]: ...
@overload
def vander(x: list[complex], N: int | None = None, increasing: bool = False) -> LazyArray[np.complex128]: ...
@overload
def vander(x: Sequence[_NumberLike_co], N: int | None = None, increasing: bool = False) -> LazyArray: ...
