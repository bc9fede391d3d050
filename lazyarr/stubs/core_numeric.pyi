# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from builtins import bool as py_bool
from collections.abc import Callable, Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, OutT, ScalarT, ShapeLike, _CDoubleCodes, _DoubleCodes, _IntCodes
from numpy._typing import (
    ArrayLike, DTypeLike, _ArrayLike, _ArrayLikeBool_co, _ArrayLikeComplex_co, _ArrayLikeFloat_co, _ArrayLikeInt_co,
    _ArrayLikeNumber_co, _ArrayLikeTD64_co, _Complex128Codes, _DTypeLike, _DTypeLikeBool, _Float64Codes,
    _NestedSequence, _NumberLike_co, _ScalarLike_co, _SupportsArray, _SupportsArrayFunc, _SupportsDType)
from typing import Any, Literal, SupportsAbs, SupportsIndex, TypeAlias, TypeGuard, overload
from typing_extensions import TypeVar

import numpy as np

_ArrayLike1D: TypeAlias = _SupportsArray[np.dtype[ScalarT]] | Sequence[ScalarT]
_AnyNumericScalarT = TypeVar('_AnyNumericScalarT', np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.clongdouble, np.timedelta64, np.object_)
_CorrelateMode: TypeAlias = Literal['valid', 'same', 'full']
_ArrayLike1DBool_co: TypeAlias = _SupportsArray[np.dtype[np.bool]] | Sequence[py_bool | np.bool]
_Int_co: TypeAlias = np.integer | np.bool
_ArrayLike1DInt_co: TypeAlias = _SupportsArray[np.dtype[_Int_co]] | Sequence[int | _Int_co]
_Float_co: TypeAlias = np.floating | _Int_co
_ArrayLike1DFloat_co: TypeAlias = _SupportsArray[np.dtype[_Float_co]] | Sequence[float | _Float_co]
_Number_co: TypeAlias = np.number | np.bool
_ArrayLike1DNumber_co: TypeAlias = _SupportsArray[np.dtype[_Number_co]] | Sequence[complex | _Number_co]
_TD64_co: TypeAlias = np.timedelta64 | _Int_co
_ArrayLike1DTD64_co: TypeAlias = _ArrayLike1D[_TD64_co]
_T = TypeVar('_T')
_OrderCF: TypeAlias = Literal['C', 'F'] | None
_OrderKACF: TypeAlias = Literal['K', 'A', 'C', 'F'] | None
_DTypeLikeInt: TypeAlias = type[int] | _IntCodes
_DTypeLikeFloat64: TypeAlias = type[float] | _Float64Codes | _DoubleCodes
_DTypeLikeComplex128: TypeAlias = type[complex] | _Complex128Codes | _CDoubleCodes

def allclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> py_bool: ...

def argwhere(a: ArrayLike) -> LazyArray[np.intp]: ...

def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: py_bool = False) -> py_bool: ...

def array_equiv(a1: ArrayLike, a2: ArrayLike) -> py_bool: ...

@overload
def astype(
    x: Array[Any], dtype: _DTypeLike[ScalarT], /, *, copy: py_bool = True, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def astype(
    x: Array[Any], dtype: type[bool], /, *, copy: py_bool = True, device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def astype(
    x: Array[Any], dtype: type[int], /, *, copy: py_bool = True, device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def astype(
    x: Array[Any], dtype: type[float], /, *, copy: py_bool = True, device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def astype(
    x: Array[Any], dtype: type[complex], /, *, copy: py_bool = True, device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def astype(
    x: Array[Any], dtype: DTypeLike | None, /, *, copy: py_bool = True, device: str | None = None
) -> LazyArray: ...

def base_repr(number: SupportsAbs[float], base: float = 2, padding: SupportsIndex | None = 0) -> str: ...

def binary_repr(num: SupportsIndex, width: int | None = None) -> str: ...

@overload
def convolve(
    a: _ArrayLike1D[_AnyNumericScalarT], v: _ArrayLike1D[_AnyNumericScalarT], mode: _CorrelateMode = 'valid'
) -> LazyArray[_AnyNumericScalarT]: ...
@overload
def convolve(a: _ArrayLike1DBool_co, v: _ArrayLike1DBool_co, mode: _CorrelateMode = 'valid') -> LazyArray[np.bool]: ...
@overload
def convolve(
    a: _ArrayLike1DInt_co, v: _ArrayLike1DInt_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.int_ | Any]: ...
@overload
def convolve(
    a: _ArrayLike1DFloat_co, v: _ArrayLike1DFloat_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.float64]: ...
@overload
def convolve(
    a: _ArrayLike1DNumber_co, v: _ArrayLike1DNumber_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.complex128 | Any]: ...
@overload
def convolve(
    a: _ArrayLike1DTD64_co, v: _ArrayLike1DTD64_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.timedelta64 | Any]: ...

@overload
def correlate(
    a: _ArrayLike1D[_AnyNumericScalarT], v: _ArrayLike1D[_AnyNumericScalarT], mode: _CorrelateMode = 'valid'
) -> LazyArray[_AnyNumericScalarT]: ...
@overload
def correlate(a: _ArrayLike1DBool_co, v: _ArrayLike1DBool_co, mode: _CorrelateMode = 'valid') -> LazyArray[np.bool]: ...
@overload
def correlate(
    a: _ArrayLike1DInt_co, v: _ArrayLike1DInt_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.int_ | Any]: ...
@overload
def correlate(
    a: _ArrayLike1DFloat_co, v: _ArrayLike1DFloat_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.float64]: ...
@overload
def correlate(
    a: _ArrayLike1DNumber_co, v: _ArrayLike1DNumber_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.complex128 | Any]: ...
@overload
def correlate(
    a: _ArrayLike1DTD64_co, v: _ArrayLike1DTD64_co, mode: _CorrelateMode = 'valid'
) -> LazyArray[np.timedelta64 | Any]: ...

@overload
def count_nonzero(
    a: ArrayLike, axis: ShapeLike | None = None, *, keepdims: np.bool | py_bool = False
) -> LazyArray[np.intp]: ...
@overload
def count_nonzero(
    a: _ScalarLike_co, axis: ShapeLike | None = None, *, keepdims: np.bool | py_bool
) -> LazyArray[np.intp]: ...
@overload
def count_nonzero(
    a: Array[Any] | _NestedSequence[ArrayLike], axis: ShapeLike | None = None, *, keepdims: np.bool | py_bool
) -> LazyArray[np.intp]: ...

@overload
def cross(
    a: _ArrayLike[_AnyNumericScalarT], b: _ArrayLike[_AnyNumericScalarT], axisa: int = -1, axisb: int = -1,
    axisc: int = -1, axis: int | None = None
) -> LazyArray[_AnyNumericScalarT]: ...
@overload
def cross(
    a: _ArrayLikeInt_co, b: _ArrayLikeInt_co, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None
) -> LazyArray[np.int_ | Any]: ...
@overload
def cross(
    a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None
) -> LazyArray[np.float64]: ...
@overload
def cross(
    a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None
) -> LazyArray[np.complex128 | Any]: ...

def flatnonzero(a: ArrayLike) -> LazyArray[np.intp]: ...

def fromfunction(
    function: Callable[..., _T], shape: Sequence[int], *, dtype: DTypeLike | None = ...,
    like: _SupportsArrayFunc | None = None, **kwargs: object
) -> _T: ...

@overload
def full(
    shape: ShapeLike, fill_value: bool, dtype: None = None, order: Literal['C', 'F'] = 'C', *,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def full(
    shape: ShapeLike, fill_value: int, dtype: None = None, order: Literal['C', 'F'] = 'C', *,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def full(
    shape: ShapeLike, fill_value: float, dtype: None = None, order: Literal['C', 'F'] = 'C', *,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def full(
    shape: ShapeLike, fill_value: complex, dtype: None = None, order: Literal['C', 'F'] = 'C', *,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def full(
    shape: ShapeLike, fill_value: ScalarT, dtype: None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def full(
    shape: ShapeLike, fill_value: Any, dtype: _DTypeLike[ScalarT], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def full(
    shape: ShapeLike, fill_value: Any, dtype: type[bool], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def full(
    shape: ShapeLike, fill_value: Any, dtype: type[int], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def full(
    shape: ShapeLike, fill_value: Any, dtype: type[float], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def full(
    shape: ShapeLike, fill_value: Any, dtype: type[complex], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def full(
    shape: ShapeLike, fill_value: Any, dtype: DTypeLike | None = None, order: _OrderCF = 'C', *,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def full_like(
    a: OutT, fill_value: object, dtype: None = None, order: _OrderKACF = 'K', subok: Literal[True] = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> OutT: ...
@overload
def full_like(
    a: _ArrayLike[ScalarT], fill_value: object, dtype: None = None, order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def full_like(
    a: object, fill_value: object, dtype: _DTypeLike[ScalarT], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def full_like(
    a: object, fill_value: object, dtype: type[bool], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def full_like(
    a: object, fill_value: object, dtype: type[int], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def full_like(
    a: object, fill_value: object, dtype: type[float], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def full_like(
    a: object, fill_value: object, dtype: type[complex], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def full_like(
    a: object, fill_value: object, dtype: DTypeLike | None = None, order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray: ...

@overload
def identity(n: int, dtype: None = None, *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.float64]: ...
@overload
def identity(n: int, dtype: _DTypeLike[ScalarT], *, like: _SupportsArrayFunc | None = None) -> LazyArray[ScalarT]: ...
@overload
def identity(n: int, dtype: type[bool], *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.bool]: ...
@overload
def identity(n: int, dtype: type[int], *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.intp]: ...
@overload
def identity(n: int, dtype: type[float], *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.float64]: ...
@overload
def identity(n: int, dtype: type[complex], *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.complex128]: ...
@overload
def identity(n: int, dtype: _DTypeLikeBool, *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.bool]: ...
@overload
def identity(n: int, dtype: _DTypeLikeInt, *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.int_ | Any]: ...
@overload
def identity(n: int, dtype: _DTypeLikeFloat64, *, like: _SupportsArrayFunc | None = None) -> LazyArray[np.float64]: ...
@overload
def identity(
    n: int, dtype: _DTypeLikeComplex128, *, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128 | Any]: ...
@overload
def identity(n: int, dtype: DTypeLike, *, like: _SupportsArrayFunc | None = None) -> LazyArray: ...

@overload
def indices(dimensions: tuple[()], dtype: type[int] = ..., sparse: Literal[False] = False) -> LazyArray[np.intp]: ...
@overload
def indices(dimensions: tuple[()], dtype: DTypeLike | None = ..., *, sparse: Literal[True]) -> tuple[()]: ...
@overload
def indices(
    dimensions: tuple[()], dtype: _DTypeLike[ScalarT], sparse: Literal[False] = False
) -> LazyArray[ScalarT]: ...
@overload
def indices(dimensions: tuple[()], dtype: type[bool], sparse: Literal[False] = False) -> LazyArray[np.bool]: ...
@overload
def indices(dimensions: tuple[()], dtype: type[int], sparse: Literal[False] = False) -> LazyArray[np.intp]: ...
@overload
def indices(dimensions: tuple[()], dtype: type[float], sparse: Literal[False] = False) -> LazyArray[np.float64]: ...
@overload
def indices(
    dimensions: tuple[()], dtype: type[complex], sparse: Literal[False] = False
) -> LazyArray[np.complex128]: ...
@overload
def indices(dimensions: tuple[()], dtype: DTypeLike, sparse: Literal[False] = False) -> LazyArray: ...
@overload
def indices(dimensions: tuple[int], dtype: type[int] = ..., sparse: Literal[False] = False) -> LazyArray[np.intp]: ...
@overload
def indices(dimensions: tuple[int], dtype: type[int] = ..., *, sparse: Literal[True]) -> tuple[LazyArray[np.intp]]: ...
@overload
def indices(
    dimensions: tuple[int], dtype: _DTypeLike[ScalarT], sparse: Literal[False] = False
) -> LazyArray[ScalarT]: ...
@overload
def indices(dimensions: tuple[int], dtype: type[bool], sparse: Literal[False] = False) -> LazyArray[np.bool]: ...
@overload
def indices(dimensions: tuple[int], dtype: type[int], sparse: Literal[False] = False) -> LazyArray[np.intp]: ...
@overload
def indices(dimensions: tuple[int], dtype: type[float], sparse: Literal[False] = False) -> LazyArray[np.float64]: ...
@overload
def indices(
    dimensions: tuple[int], dtype: type[complex], sparse: Literal[False] = False
) -> LazyArray[np.complex128]: ...
@overload
def indices(dimensions: tuple[int], dtype: _DTypeLike[ScalarT], sparse: Literal[True]) -> tuple[LazyArray[ScalarT]]: ...
@overload
def indices(dimensions: tuple[int], dtype: DTypeLike, sparse: Literal[False] = False) -> LazyArray: ...
@overload
def indices(dimensions: tuple[int], dtype: DTypeLike, sparse: Literal[True]) -> tuple[LazyArray]: ...
@overload
def indices(
    dimensions: tuple[int, int], dtype: type[int] = ..., sparse: Literal[False] = False
) -> LazyArray[np.intp]: ...
@overload
def indices(
    dimensions: tuple[int, int], dtype: type[int] = ..., *, sparse: Literal[True]
) -> tuple[LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def indices(
    dimensions: tuple[int, int], dtype: _DTypeLike[ScalarT], sparse: Literal[False] = False
) -> LazyArray[ScalarT]: ...
@overload
def indices(dimensions: tuple[int, int], dtype: type[bool], sparse: Literal[False] = False) -> LazyArray[np.bool]: ...
@overload
def indices(dimensions: tuple[int, int], dtype: type[int], sparse: Literal[False] = False) -> LazyArray[np.intp]: ...
@overload
def indices(
    dimensions: tuple[int, int], dtype: type[float], sparse: Literal[False] = False
) -> LazyArray[np.float64]: ...
@overload
def indices(
    dimensions: tuple[int, int], dtype: type[complex], sparse: Literal[False] = False
) -> LazyArray[np.complex128]: ...
@overload
def indices(
    dimensions: tuple[int, int], dtype: _DTypeLike[ScalarT], sparse: Literal[True]
) -> tuple[LazyArray[ScalarT], LazyArray[ScalarT]]: ...
@overload
def indices(dimensions: tuple[int, int], dtype: DTypeLike, sparse: Literal[False] = False) -> LazyArray: ...
@overload
def indices(dimensions: tuple[int, int], dtype: DTypeLike, sparse: Literal[True]) -> tuple[LazyArray, LazyArray]: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: type[int] = ..., sparse: Literal[False] = False
) -> LazyArray[np.intp]: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: type[int] = ..., *, sparse: Literal[True]
) -> tuple[LazyArray[np.intp], ...]: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: _DTypeLike[ScalarT], sparse: Literal[False] = False
) -> LazyArray[ScalarT]: ...
@overload
def indices(dimensions: Sequence[int], dtype: type[bool], sparse: Literal[False] = False) -> LazyArray[np.bool]: ...
@overload
def indices(dimensions: Sequence[int], dtype: type[int], sparse: Literal[False] = False) -> LazyArray[np.intp]: ...
@overload
def indices(dimensions: Sequence[int], dtype: type[float], sparse: Literal[False] = False) -> LazyArray[np.float64]: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: type[complex], sparse: Literal[False] = False
) -> LazyArray[np.complex128]: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: _DTypeLike[ScalarT], sparse: Literal[True]
) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike, sparse: Literal[False] = False) -> LazyArray: ...
@overload
def indices(dimensions: Sequence[int], dtype: DTypeLike, sparse: Literal[True]) -> tuple[LazyArray, ...]: ...

@overload
def isclose(
    a: _NumberLike_co, b: _NumberLike_co, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    a: Array[Any], b: Array[Any] | _NumberLike_co, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08,
    equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    a: Array[Any] | _NumberLike_co, b: Array[Any], rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08,
    equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    a: Sequence[_NumberLike_co], b: Sequence[_NumberLike_co] | _NumberLike_co | Array[Any], rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    a: Sequence[_NumberLike_co] | _NumberLike_co | Array[Any], b: Sequence[_NumberLike_co], rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    a: Sequence[Sequence[_NumberLike_co]],
    b: Sequence[Sequence[_NumberLike_co]] | Sequence[_NumberLike_co] | _NumberLike_co | Array[Any],
    rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    b: Sequence[Sequence[_NumberLike_co]] | Sequence[_NumberLike_co] | _NumberLike_co | Array[Any],
    a: Sequence[Sequence[_NumberLike_co]], rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> LazyArray[np.bool]: ...
@overload
def isclose(
    a: ArrayLike, b: ArrayLike, rtol: ArrayLike = 1e-05, atol: ArrayLike = 1e-08, equal_nan: py_bool = False
) -> LazyArray: ...

def isfortran(a: Array[Any] | np.generic) -> py_bool: ...

def isscalar(element: object) -> TypeGuard[np.generic | complex | str | bytes | memoryview]: ...

def moveaxis(a: OutT, source: ShapeLike, destination: ShapeLike) -> OutT: ...

@overload
def ones_like(
    a: OutT, dtype: None = None, order: _OrderKACF = 'K', subok: Literal[True] = True, shape: ShapeLike | None = None,
    *, device: str | None = None
) -> OutT: ...
@overload
def ones_like(
    a: _ArrayLike[ScalarT], dtype: None = None, order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def ones_like(
    a: object, dtype: _DTypeLike[ScalarT], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def ones_like(
    a: object, dtype: type[bool], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def ones_like(
    a: object, dtype: type[int], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def ones_like(
    a: object, dtype: type[float], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def ones_like(
    a: object, dtype: type[complex], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def ones_like(
    a: object, dtype: DTypeLike | None = None, order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray: ...

@overload
def outer(
    a: _ArrayLike[_AnyNumericScalarT], b: _ArrayLike[_AnyNumericScalarT], out: None = None
) -> LazyArray[_AnyNumericScalarT]: ...
@overload
def outer(a: _ArrayLikeBool_co, b: _ArrayLikeBool_co, out: None = None) -> LazyArray[np.bool]: ...
@overload
def outer(a: _ArrayLikeInt_co, b: _ArrayLikeInt_co, out: None = None) -> LazyArray[np.int_ | Any]: ...
@overload
def outer(a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co, out: None = None) -> LazyArray[np.float64]: ...
@overload
def outer(a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co, out: None = None) -> LazyArray[np.complex128 | Any]: ...
@overload
def outer(a: _ArrayLikeTD64_co, b: _ArrayLikeTD64_co, out: None = None) -> LazyArray[np.timedelta64 | Any]: ...
@overload
def outer(
    a: _ArrayLikeNumber_co | _ArrayLikeTD64_co, b: _ArrayLikeNumber_co | _ArrayLikeTD64_co, out: OutT
) -> OutT: ...

@overload
def roll(a: OutT, shift: ShapeLike, axis: ShapeLike | None = None) -> OutT: ...
@overload
def roll(a: _ArrayLike[ScalarT], shift: ShapeLike, axis: ShapeLike | None = None) -> LazyArray[ScalarT]: ...
@overload
def roll(a: ArrayLike, shift: ShapeLike, axis: ShapeLike | None = None) -> LazyArray: ...

def rollaxis(a: OutT, axis: int, start: int = 0) -> OutT: ...

@overload
def tensordot(
    a: _ArrayLike[_AnyNumericScalarT], b: _ArrayLike[_AnyNumericScalarT], axes: int | tuple[ShapeLike, ShapeLike] = 2
) -> LazyArray[_AnyNumericScalarT]: ...
@overload
def tensordot(
    a: _ArrayLikeBool_co, b: _ArrayLikeBool_co, axes: int | tuple[ShapeLike, ShapeLike] = 2
) -> LazyArray[np.bool]: ...
@overload
def tensordot(
    a: _ArrayLikeInt_co, b: _ArrayLikeInt_co, axes: int | tuple[ShapeLike, ShapeLike] = 2
) -> LazyArray[np.int_ | Any]: ...
@overload
def tensordot(
    a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co, axes: int | tuple[ShapeLike, ShapeLike] = 2
) -> LazyArray[np.float64]: ...
@overload
def tensordot(
    a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co, axes: int | tuple[ShapeLike, ShapeLike] = 2
) -> LazyArray[np.complex128 | Any]: ...

@overload
def zeros_like(
    a: OutT, dtype: None = None, order: _OrderKACF = 'K', subok: Literal[True] = True, shape: ShapeLike | None = None,
    *, device: str | None = None
) -> OutT: ...
@overload
def zeros_like(
    a: _ArrayLike[ScalarT], dtype: None = None, order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def zeros_like(
    a: object, dtype: _DTypeLike[ScalarT], order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def zeros_like(
    a: object, dtype: type[bool], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def zeros_like(
    a: object, dtype: type[int], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def zeros_like(
    a: object, dtype: type[float], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def zeros_like(
    a: object, dtype: type[complex], order: _OrderKACF = 'K', subok: py_bool = True, shape: ShapeLike | None = None, *,
    device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def zeros_like(
    a: object, dtype: DTypeLike | None = None, order: _OrderKACF = 'K', subok: py_bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray: ...
