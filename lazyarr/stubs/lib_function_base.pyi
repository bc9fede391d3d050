# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from _typeshed import ConvertibleToInt
from collections.abc import Callable, Iterable, Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, Operand, OutT, ScalarT, ShapeLike
from numpy._typing import (
    ArrayLike, DTypeLike, _ArrayLike, _ArrayLikeBool_co, _ArrayLikeComplex_co, _ArrayLikeFloat_co, _ArrayLikeInt_co,
    _ArrayLikeNumber_co, _ArrayLikeObject_co, _ComplexLike_co, _DTypeLike, _FloatLike_co, _NestedSequence as _SeqND,
    _NumberLike_co, _ScalarLike_co, _SupportsArray)
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, SupportsIndex, SupportsInt, TypeAlias, overload
from typing_extensions import TypeIs, TypeVar

import numpy as np

_FloatingT = TypeVar('_FloatingT', bound=np.floating)
_integer_co: TypeAlias = np.integer | np.bool
_ArrayFloatingT = TypeVar('_ArrayFloatingT', bound=LazyArray[np.floating])
_T = TypeVar('_T')
_Seq1D: TypeAlias = Sequence[_T]
_Seq2D: TypeAlias = Sequence[Sequence[_T]]
_Seq3D: TypeAlias = Sequence[Sequence[Sequence[_T]]]
_OrderKACF: TypeAlias = Literal['K', 'A', 'C', 'F'] | None
_ArrayInexactT = TypeVar('_ArrayInexactT', bound=LazyArray[np.inexact])
class _NoValueType:
    ...
_Tuple2: TypeAlias = tuple[_T, _T]
_InexactT = TypeVar('_InexactT', bound=np.inexact)
_ListSeqND: TypeAlias = list[_T] | _SeqND[list[_T]]
_AnyDoubleT = TypeVar('_AnyDoubleT', bound=np.float64 | np.longdouble | np.complex128 | np.clongdouble)
_IndexLike: TypeAlias = slice | _ArrayLikeInt_co
_ArrayNumericT = TypeVar('_ArrayNumericT', bound=LazyArray[np.inexact | np.timedelta64 | np.object_])
_ScalarNumericT = TypeVar('_ScalarNumericT', bound=np.inexact | np.timedelta64 | np.object_)
_InexactTimeT = TypeVar('_InexactTimeT', bound=np.inexact | np.timedelta64)
_ScalarT1 = TypeVar('_ScalarT1', bound=np.generic)
_Mesh2: TypeAlias = tuple[Array[ScalarT], Array[_ScalarT1]]
_ScalarT2 = TypeVar('_ScalarT2', bound=np.generic)
_Mesh3: TypeAlias = tuple[Array[ScalarT], Array[_ScalarT1], Array[_ScalarT2]]
_ArrayLike1D: TypeAlias = _SupportsArray[np.dtype[ScalarT]] | Sequence[ScalarT]
_floating_co: TypeAlias = np.floating | _integer_co
_InexactDateTimeT = TypeVar('_InexactDateTimeT', bound=np.inexact | np.timedelta64 | np.datetime64)
_InterpolationMethod = Literal['inverted_cdf', 'averaged_inverted_cdf', 'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'linear', 'median_unbiased', 'normal_unbiased', 'lower', 'higher', 'midpoint', 'nearest']
_T_co = TypeVar('_T_co', covariant=True)
class _SizedIterable(Protocol[_T_co]):

    def __iter__(self) -> Iterable[_T_co]:
        ...

    def __len__(self) -> int:
        ...
_Tss = ParamSpec('_Tss')
_PiecewiseFunction: TypeAlias = Callable[Concatenate[Array[ScalarT], _Tss], ArrayLike]
_PiecewiseFunctions: TypeAlias = _SizedIterable[_PiecewiseFunction[ScalarT, _Tss] | _ScalarLike_co]
_float64_co: TypeAlias = np.float64 | _integer_co
_ArrayComplexT = TypeVar('_ArrayComplexT', bound=LazyArray[np.complexfloating])
_SortsToComplex128: TypeAlias = np.bool | np.int32 | np.uint32 | np.int64 | np.uint64 | np.float16 | np.float32 | np.float64 | np.timedelta64 | np.object_
class _SupportsRMulFloat(Protocol[_T_co]):

    def __rmul__(self, other: float, /) -> _T_co:
        ...
class _TrimZerosSequence(Protocol[_T_co]):

    def __len__(self, /) -> int:
        ...

    @overload
    def __getitem__(self, key: int, /) -> object:
        ...

    @overload
    def __getitem__(self, key: slice, /) -> _T_co:
        ...
_ArrayFloatObjT = TypeVar('_ArrayFloatObjT', bound=LazyArray[np.floating | np.object_])

@overload
def angle(z: _FloatingT, deg: bool = False) -> LazyArray[_FloatingT]: ...
@overload
def angle(z: complex | _integer_co, deg: bool = False) -> LazyArray[np.float64]: ...
@overload
def angle(z: np.complex64, deg: bool = False) -> LazyArray[np.float32]: ...
@overload
def angle(z: np.clongdouble, deg: bool = False) -> LazyArray[np.longdouble]: ...
@overload
def angle(z: _ArrayFloatingT, deg: bool = False) -> _ArrayFloatingT: ...
@overload
def angle(z: Array[np.complex128 | _integer_co], deg: bool = False) -> LazyArray[np.float64]: ...
@overload
def angle(z: Array[np.complex64], deg: bool = False) -> LazyArray[np.float32]: ...
@overload
def angle(z: Array[np.clongdouble], deg: bool = False) -> LazyArray[np.longdouble]: ...
@overload
def angle(z: _Seq1D[complex], deg: bool = False) -> LazyArray[np.float64]: ...
@overload
def angle(z: _Seq2D[complex], deg: bool = False) -> LazyArray[np.float64]: ...
@overload
def angle(z: _Seq3D[complex], deg: bool = False) -> LazyArray[np.float64]: ...
@overload
def angle(z: _ArrayLikeComplex_co, deg: bool = False) -> LazyArray: ...

@overload
def append(arr: OutT, values: OutT, axis: SupportsIndex | None) -> OutT: ...
@overload
def append(arr: _Seq1D[ScalarT], values: _Seq1D[ScalarT], axis: SupportsIndex | None) -> LazyArray[ScalarT]: ...
@overload
def append(arr: _Seq2D[ScalarT], values: _Seq2D[ScalarT], axis: SupportsIndex | None) -> LazyArray[ScalarT]: ...
@overload
def append(arr: _Seq3D[ScalarT], values: _Seq3D[ScalarT], axis: SupportsIndex | None) -> LazyArray[ScalarT]: ...
@overload
def append(arr: _SeqND[ScalarT], values: _SeqND[ScalarT], axis: SupportsIndex | None) -> LazyArray[ScalarT]: ...
@overload
def append(
    arr: Array[Any] | _SeqND[_ScalarLike_co], values: _SeqND[_ScalarLike_co], axis: SupportsIndex | None
) -> LazyArray: ...
@overload
def append(
    arr: _ArrayLike[ScalarT], values: _ArrayLike[ScalarT], axis: SupportsIndex | None = None
) -> LazyArray[ScalarT]: ...
@overload
def append(arr: ArrayLike, values: ArrayLike, axis: SupportsIndex | None = None) -> LazyArray: ...

@overload
def asarray_chkfinite(a: OutT, dtype: None = None, order: _OrderKACF = None) -> OutT: ...
@overload
def asarray_chkfinite(a: Array[Any], dtype: _DTypeLike[ScalarT], order: _OrderKACF = None) -> LazyArray[ScalarT]: ...
@overload
def asarray_chkfinite(a: Array[Any], dtype: type[bool], order: _OrderKACF = None) -> LazyArray[np.bool]: ...
@overload
def asarray_chkfinite(a: Array[Any], dtype: type[int], order: _OrderKACF = None) -> LazyArray[np.intp]: ...
@overload
def asarray_chkfinite(a: Array[Any], dtype: type[float], order: _OrderKACF = None) -> LazyArray[np.float64]: ...
@overload
def asarray_chkfinite(a: Array[Any], dtype: type[complex], order: _OrderKACF = None) -> LazyArray[np.complex128]: ...
@overload
def asarray_chkfinite(a: _ArrayLike[ScalarT], dtype: None = None, order: _OrderKACF = None) -> LazyArray[ScalarT]: ...
@overload
def asarray_chkfinite(a: object, dtype: _DTypeLike[ScalarT], order: _OrderKACF = None) -> LazyArray[ScalarT]: ...
@overload
def asarray_chkfinite(a: object, dtype: type[bool], order: _OrderKACF = None) -> LazyArray[np.bool]: ...
@overload
def asarray_chkfinite(a: object, dtype: type[int], order: _OrderKACF = None) -> LazyArray[np.intp]: ...
@overload
def asarray_chkfinite(a: object, dtype: type[float], order: _OrderKACF = None) -> LazyArray[np.float64]: ...
@overload
def asarray_chkfinite(a: object, dtype: type[complex], order: _OrderKACF = None) -> LazyArray[np.complex128]: ...
@overload
def asarray_chkfinite(a: object, dtype: DTypeLike | None = None, order: _OrderKACF = None) -> LazyArray: ...

@overload
def average(
    a: _ArrayInexactT, axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeNumber_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType
) -> _ArrayInexactT: ...
@overload
def average(
    a: _ArrayInexactT, axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeNumber_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType
) -> _Tuple2[_ArrayInexactT]: ...
@overload
def average(
    a: _ArrayLike[_InexactT], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeNumber_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType = ...
) -> LazyArray[_InexactT]: ...
@overload
def average(
    a: _ArrayLike[_InexactT], axis: int | tuple[int, ...] | None, weights: _ArrayLikeNumber_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType = ...
) -> LazyArray[_InexactT]: ...
@overload
def average(
    a: _ArrayLike[_InexactT], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeNumber_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType
) -> LazyArray[_InexactT]: ...
@overload
def average(
    a: _ArrayLike[_InexactT], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeNumber_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray[_InexactT]]: ...
@overload
def average(
    a: _ArrayLike[_InexactT], axis: int | tuple[int, ...] | None, weights: _ArrayLikeNumber_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray[_InexactT]]: ...
@overload
def average(
    a: _ArrayLike[_InexactT], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeNumber_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType
) -> _Tuple2[LazyArray[_InexactT]]: ...
@overload
def average(
    a: _SeqND[float] | _ArrayLikeInt_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeFloat_co | None = None, returned: Literal[False] = False, *, keepdims: bool | _NoValueType = ...
) -> LazyArray[np.float64]: ...
@overload
def average(
    a: _SeqND[float] | _ArrayLikeInt_co, axis: int | tuple[int, ...] | None, weights: _ArrayLikeFloat_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType = ...
) -> LazyArray[np.float64]: ...
@overload
def average(
    a: _SeqND[float] | _ArrayLikeInt_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeFloat_co | None = None, returned: Literal[False] = False, *, keepdims: bool | _NoValueType
) -> LazyArray[np.float64]: ...
@overload
def average(
    a: _SeqND[float] | _ArrayLikeInt_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeFloat_co | None = None, *, returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray[np.float64]]: ...
@overload
def average(
    a: _SeqND[float] | _ArrayLikeInt_co, axis: int | tuple[int, ...] | None, weights: _ArrayLikeFloat_co | None = None,
    *, returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray[np.float64]]: ...
@overload
def average(
    a: _SeqND[float] | _ArrayLikeInt_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeFloat_co | None = None, *, returned: Literal[True], keepdims: bool | _NoValueType
) -> _Tuple2[LazyArray[np.float64]]: ...
@overload
def average(
    a: _ListSeqND[complex], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeComplex_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType = ...
) -> LazyArray[np.complex128]: ...
@overload
def average(
    a: _ListSeqND[complex], axis: int | tuple[int, ...] | None, weights: _ArrayLikeComplex_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType = ...
) -> LazyArray[np.complex128]: ...
@overload
def average(
    a: _ListSeqND[complex], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeComplex_co | None = None,
    returned: Literal[False] = False, *, keepdims: bool | _NoValueType
) -> LazyArray[np.complex128]: ...
@overload
def average(
    a: _ListSeqND[complex], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeComplex_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray[np.complex128]]: ...
@overload
def average(
    a: _ListSeqND[complex], axis: int | tuple[int, ...] | None, weights: _ArrayLikeComplex_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray[np.complex128]]: ...
@overload
def average(
    a: _ListSeqND[complex], axis: int | tuple[int, ...] | None = None, weights: _ArrayLikeComplex_co | None = None, *,
    returned: Literal[True], keepdims: bool | _NoValueType
) -> _Tuple2[LazyArray[np.complex128]]: ...
@overload
def average(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeNumber_co | None = None, returned: Literal[False] = False, *,
    keepdims: bool | _NoValueType = ...
) -> LazyArray: ...
@overload
def average(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, axis: int | tuple[int, ...] | None,
    weights: _ArrayLikeNumber_co | None = None, returned: Literal[False] = False, *,
    keepdims: bool | _NoValueType = ...
) -> LazyArray: ...
@overload
def average(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeNumber_co | None = None, returned: Literal[False] = False, *, keepdims: bool | _NoValueType
) -> LazyArray: ...
@overload
def average(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeNumber_co | None = None, *, returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray]: ...
@overload
def average(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, axis: int | tuple[int, ...] | None,
    weights: _ArrayLikeNumber_co | None = None, *, returned: Literal[True], keepdims: bool | _NoValueType = ...
) -> _Tuple2[LazyArray]: ...
@overload
def average(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, axis: int | tuple[int, ...] | None = None,
    weights: _ArrayLikeNumber_co | None = None, *, returned: Literal[True], keepdims: bool | _NoValueType
) -> _Tuple2[LazyArray]: ...

def bartlett(M: _FloatLike_co) -> LazyArray[np.float64]: ...

def blackman(M: _FloatLike_co) -> LazyArray[np.float64]: ...

@overload
def copy(a: OutT, order: _OrderKACF, subok: Literal[True]) -> OutT: ...
@overload
def copy(a: OutT, order: _OrderKACF = 'K', *, subok: Literal[True]) -> OutT: ...
@overload
def copy(a: _ArrayLike[ScalarT], order: _OrderKACF = 'K', subok: Literal[False] = False) -> LazyArray[ScalarT]: ...
@overload
def copy(a: ArrayLike, order: _OrderKACF = 'K', subok: Literal[False] = False) -> LazyArray: ...

@overload
def corrcoef(
    x: _ArrayLike[_AnyDoubleT], y: _ArrayLike[_AnyDoubleT], rowvar: bool = True, *,
    dtype: _DTypeLike[_AnyDoubleT] | None = None
) -> LazyArray[_AnyDoubleT]: ...
@overload
def corrcoef(
    x: Array[_AnyDoubleT], y: None = None, rowvar: bool = True, *, dtype: _DTypeLike[_AnyDoubleT] | None = None
) -> LazyArray[_AnyDoubleT]: ...
@overload
def corrcoef(
    x: _ArrayLike[_AnyDoubleT], y: None = None, rowvar: bool = True, *, dtype: _DTypeLike[_AnyDoubleT] | None = None
) -> LazyArray[_AnyDoubleT]: ...
@overload
def corrcoef(
    x: Array[np.float32 | np.float16 | _integer_co] | _Seq1D[float] | _Seq2D[float],
    y: Array[np.float32 | np.float16 | _integer_co] | _Seq1D[float] | _Seq2D[float], rowvar: bool = True, *,
    dtype: _DTypeLike[np.float64] | None = None
) -> LazyArray[np.float64]: ...
@overload
def corrcoef(
    x: Array[np.float32 | np.float16 | _integer_co] | _Seq1D[float], y: None = None, rowvar: bool = True, *,
    dtype: _DTypeLike[np.float64] | None = None
) -> LazyArray[np.float64]: ...
@overload
def corrcoef(
    x: _ArrayLike[np.float32 | np.float16 | _integer_co], y: None = None, rowvar: bool = True, *,
    dtype: _DTypeLike[np.float64] | None = None
) -> LazyArray[np.float64]: ...
@overload
def corrcoef(
    x: list[complex] | _Seq1D[list[complex]], y: list[complex] | _Seq1D[list[complex]], rowvar: bool = True, *,
    dtype: _DTypeLike[np.complex128] | None = None
) -> LazyArray[np.complex128]: ...
@overload
def corrcoef(
    x: list[complex], y: None = None, rowvar: bool = True, *, dtype: _DTypeLike[np.complex128] | None = None
) -> LazyArray[np.complex128]: ...
@overload
def corrcoef(
    x: _Seq1D[list[complex]], y: None = None, rowvar: bool = True, *, dtype: _DTypeLike[np.complex128] | None = None
) -> LazyArray[np.complex128]: ...
@overload
def corrcoef(
    x: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, *, dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def corrcoef(
    x: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, *, dtype: type[bool]
) -> LazyArray[np.bool]: ...
@overload
def corrcoef(
    x: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, *, dtype: type[int]
) -> LazyArray[np.intp]: ...
@overload
def corrcoef(
    x: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, *, dtype: type[float]
) -> LazyArray[np.float64]: ...
@overload
def corrcoef(
    x: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, *, dtype: type[complex]
) -> LazyArray[np.complex128]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, *, dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, *, dtype: type[bool]
) -> LazyArray[np.bool]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, *, dtype: type[int]
) -> LazyArray[np.intp]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, *, dtype: type[float]
) -> LazyArray[np.float64]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, *, dtype: type[complex]
) -> LazyArray[np.complex128]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, *, dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, *, dtype: type[bool]
) -> LazyArray[np.bool]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, *, dtype: type[int]
) -> LazyArray[np.intp]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, *, dtype: type[float]
) -> LazyArray[np.float64]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, *, dtype: type[complex]
) -> LazyArray[np.complex128]: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> LazyArray: ...
@overload
def corrcoef(
    x: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None
) -> LazyArray: ...
@overload
def corrcoef(
    x: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co | None = None, rowvar: bool = True, *,
    dtype: DTypeLike | None = None
) -> LazyArray: ...

@overload
def cov(
    m: _ArrayLike[_AnyDoubleT], y: _ArrayLike[_AnyDoubleT], rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: None = None
) -> LazyArray[_AnyDoubleT]: ...
@overload
def cov(
    m: Array[_AnyDoubleT], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[_AnyDoubleT] | None = None
) -> LazyArray[_AnyDoubleT]: ...
@overload
def cov(
    m: _ArrayLike[_AnyDoubleT], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[_AnyDoubleT] | None = None
) -> LazyArray[_AnyDoubleT]: ...
@overload
def cov(
    m: Array[np.float32 | np.float16 | _integer_co] | _Seq1D[float] | _Seq2D[float],
    y: Array[np.float32 | np.float16 | _integer_co] | _Seq1D[float] | _Seq2D[float], rowvar: bool = True,
    bias: bool = False, ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[np.float64] | None = None
) -> LazyArray[np.float64]: ...
@overload
def cov(
    m: Array[np.float32 | np.float16 | _integer_co] | _Seq1D[float], y: None = None, rowvar: bool = True,
    bias: bool = False, ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[np.float64] | None = None
) -> LazyArray[np.float64]: ...
@overload
def cov(
    m: _ArrayLike[np.float32 | np.float16 | _integer_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[np.float64] | None = None
) -> LazyArray[np.float64]: ...
@overload
def cov(
    m: list[complex] | _Seq1D[list[complex]], y: list[complex] | _Seq1D[list[complex]], rowvar: bool = True,
    bias: bool = False, ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[np.complex128] | None = None
) -> LazyArray[np.complex128]: ...
@overload
def cov(
    m: list[complex], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[np.complex128] | None = None
) -> LazyArray[np.complex128]: ...
@overload
def cov(
    m: _Seq1D[list[complex]], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[np.complex128] | None = None
) -> LazyArray[np.complex128]: ...
@overload
def cov(
    m: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def cov(
    m: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[bool]
) -> LazyArray[np.bool]: ...
@overload
def cov(
    m: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[int]
) -> LazyArray[np.intp]: ...
@overload
def cov(
    m: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[float]
) -> LazyArray[np.float64]: ...
@overload
def cov(
    m: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[complex]
) -> LazyArray[np.complex128]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[bool]
) -> LazyArray[np.bool]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[int]
) -> LazyArray[np.intp]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[float]
) -> LazyArray[np.float64]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[complex]
) -> LazyArray[np.complex128]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[bool]
) -> LazyArray[np.bool]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[int]
) -> LazyArray[np.intp]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[float]
) -> LazyArray[np.float64]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: type[complex]
) -> LazyArray[np.complex128]: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: DTypeLike | None = None
) -> LazyArray: ...
@overload
def cov(
    m: _Seq1D[_ComplexLike_co], y: None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: DTypeLike | None = None
) -> LazyArray: ...
@overload
def cov(
    m: _ArrayLikeComplex_co, y: _ArrayLikeComplex_co | None = None, rowvar: bool = True, bias: bool = False,
    ddof: SupportsIndex | SupportsInt | None = None, fweights: _ArrayLikeInt_co | None = None,
    aweights: _ArrayLikeFloat_co | None = None, *, dtype: DTypeLike | None = None
) -> LazyArray: ...

@overload
def delete(arr: _ArrayLike[ScalarT], obj: _IndexLike, axis: SupportsIndex | None = None) -> LazyArray[ScalarT]: ...
@overload
def delete(arr: OutT, obj: _IndexLike, axis: SupportsIndex | None) -> OutT: ...
@overload
def delete(arr: _ArrayLike[ScalarT], obj: _IndexLike, axis: SupportsIndex | None) -> LazyArray[ScalarT]: ...
@overload
def delete(arr: ArrayLike, obj: _IndexLike, axis: SupportsIndex | None = None) -> LazyArray: ...
@overload
def delete(arr: ArrayLike, obj: _IndexLike, axis: SupportsIndex | None) -> LazyArray: ...

@overload
def diff(
    a: _T, n: Literal[0], axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> _T: ...
@overload
def diff(
    a: _ArrayNumericT, n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> _ArrayNumericT: ...
@overload
def diff(
    a: Array[np.datetime64], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.timedelta64]: ...
@overload
def diff(
    a: _ArrayLike[_ScalarNumericT], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[_ScalarNumericT]: ...
@overload
def diff(
    a: _ArrayLike[np.datetime64], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.timedelta64]: ...
@overload
def diff(
    a: _Seq1D[int], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.int_]: ...
@overload
def diff(
    a: _Seq2D[int], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.int_]: ...
@overload
def diff(
    a: list[float], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.float64]: ...
@overload
def diff(
    a: _Seq1D[list[float]], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.float64]: ...
@overload
def diff(
    a: list[complex], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.complex128]: ...
@overload
def diff(
    a: _Seq1D[list[complex]], n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray[np.complex128]: ...
@overload
def diff(
    a: ArrayLike, n: int = 1, axis: SupportsIndex = -1, prepend: ArrayLike | _NoValueType = ...,
    append: ArrayLike | _NoValueType = ...
) -> LazyArray: ...

@overload
def digitize(
    x: Array[np.floating | np.integer], bins: _ArrayLikeFloat_co, right: bool = False
) -> LazyArray[np.int_]: ...
@overload
def digitize(x: _FloatLike_co, bins: _ArrayLikeFloat_co, right: bool = False) -> LazyArray[np.int_]: ...
@overload
def digitize(x: _Seq1D[_FloatLike_co], bins: _ArrayLikeFloat_co, right: bool = False) -> LazyArray[np.int_]: ...
@overload
def digitize(x: _Seq2D[_FloatLike_co], bins: _ArrayLikeFloat_co, right: bool = False) -> LazyArray[np.int_]: ...
@overload
def digitize(x: _Seq3D[_FloatLike_co], bins: _ArrayLikeFloat_co, right: bool = False) -> LazyArray[np.int_]: ...
@overload
def digitize(x: _ArrayLikeFloat_co, bins: _ArrayLikeFloat_co, right: bool = False) -> LazyArray: ...

@overload
def extract(condition: ArrayLike, arr: _ArrayLike[ScalarT]) -> LazyArray[ScalarT]: ...
@overload
def extract(condition: ArrayLike, arr: _SeqND[bool]) -> LazyArray[np.bool]: ...
@overload
def extract(condition: ArrayLike, arr: _ListSeqND[int]) -> LazyArray[np.int_]: ...
@overload
def extract(condition: ArrayLike, arr: _ListSeqND[float]) -> LazyArray[np.float64]: ...
@overload
def extract(condition: ArrayLike, arr: _ListSeqND[complex]) -> LazyArray[np.complex128]: ...
@overload
def extract(condition: ArrayLike, arr: _SeqND[bytes]) -> LazyArray[np.bytes_]: ...
@overload
def extract(condition: ArrayLike, arr: _SeqND[str]) -> LazyArray[np.str_]: ...
@overload
def extract(condition: ArrayLike, arr: ArrayLike) -> LazyArray: ...

@overload
def flip(m: OutT, axis: int | tuple[int, ...] | None = None) -> OutT: ...
@overload
def flip(m: _ArrayLike[ScalarT], axis: int | tuple[int, ...] | None = None) -> LazyArray[ScalarT]: ...
@overload
def flip(m: ArrayLike, axis: int | tuple[int, ...] | None = None) -> LazyArray: ...

@overload
def gradient(
    f: Array[_InexactTimeT], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1,
    2] = 1
) -> LazyArray[_InexactTimeT]: ...
@overload
def gradient(
    f: Array[np.datetime64], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1,
    2] = 1
) -> LazyArray[np.timedelta64]: ...
@overload
def gradient(
    f: _Seq1D[float], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1, 2] = 1
) -> LazyArray[np.float64]: ...
@overload
def gradient(
    f: _Seq2D[float], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1, 2] = 1
) -> _Mesh2[np.float64, np.float64]: ...
@overload
def gradient(
    f: _Seq3D[float], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1, 2] = 1
) -> _Mesh3[np.float64, np.float64, np.float64]: ...
@overload
def gradient(
    f: list[complex], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1, 2] = 1
) -> LazyArray[np.complex128]: ...
@overload
def gradient(
    f: _Seq1D[list[complex]], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1,
    2] = 1
) -> _Mesh2[np.complex128, np.complex128]: ...
@overload
def gradient(
    f: _Seq2D[list[complex]], *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1,
    2] = 1
) -> _Mesh3[np.complex128, np.complex128, np.complex128]: ...
@overload
def gradient(
    f: ArrayLike, *varargs: _ArrayLikeNumber_co, axis: ShapeLike | None = None, edge_order: Literal[1, 2] = 1
) -> LazyArray: ...

def hamming(M: _FloatLike_co) -> LazyArray[np.float64]: ...

def hanning(M: _FloatLike_co) -> LazyArray[np.float64]: ...

@overload
def i0(x: Array[np.floating | np.integer]) -> LazyArray[np.float64]: ...
@overload
def i0(x: _FloatLike_co) -> LazyArray[np.float64]: ...
@overload
def i0(x: _Seq1D[_FloatLike_co]) -> LazyArray[np.float64]: ...
@overload
def i0(x: _Seq2D[_FloatLike_co]) -> LazyArray[np.float64]: ...
@overload
def i0(x: _Seq3D[_FloatLike_co]) -> LazyArray[np.float64]: ...
@overload
def i0(x: _ArrayLikeFloat_co) -> LazyArray[np.float64]: ...

@overload
def insert(
    arr: _ArrayLike[ScalarT], obj: _IndexLike, values: ArrayLike, axis: SupportsIndex | None = None
) -> LazyArray[ScalarT]: ...
@overload
def insert(arr: OutT, obj: _IndexLike, values: ArrayLike, axis: SupportsIndex | None) -> OutT: ...
@overload
def insert(
    arr: _ArrayLike[ScalarT], obj: _IndexLike, values: ArrayLike, axis: SupportsIndex | None
) -> LazyArray[ScalarT]: ...
@overload
def insert(arr: ArrayLike, obj: _IndexLike, values: ArrayLike, axis: SupportsIndex | None = None) -> LazyArray: ...
@overload
def insert(arr: ArrayLike, obj: _IndexLike, values: ArrayLike, axis: SupportsIndex | None) -> LazyArray: ...

@overload
def interp(
    x: _FloatLike_co, xp: _ArrayLikeFloat_co, fp: _ArrayLikeFloat_co, left: _FloatLike_co | None = None,
    right: _FloatLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def interp(
    x: _FloatLike_co, xp: _ArrayLikeFloat_co, fp: _ArrayLike1D[np.complexfloating] | list[complex],
    left: _NumberLike_co | None = None, right: _NumberLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def interp(
    x: Array[_floating_co], xp: _ArrayLikeFloat_co, fp: _ArrayLikeFloat_co, left: _FloatLike_co | None = None,
    right: _FloatLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def interp(
    x: Array[_floating_co], xp: _ArrayLikeFloat_co, fp: _ArrayLike1D[np.complexfloating] | list[complex],
    left: _NumberLike_co | None = None, right: _NumberLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def interp(
    x: _Seq1D[_FloatLike_co], xp: _ArrayLikeFloat_co, fp: _ArrayLikeFloat_co, left: _FloatLike_co | None = None,
    right: _FloatLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def interp(
    x: _Seq1D[_FloatLike_co], xp: _ArrayLikeFloat_co, fp: _ArrayLike1D[np.complexfloating] | list[complex],
    left: _NumberLike_co | None = None, right: _NumberLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def interp(
    x: _SeqND[_FloatLike_co], xp: _ArrayLikeFloat_co, fp: _ArrayLikeFloat_co, left: _FloatLike_co | None = None,
    right: _FloatLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def interp(
    x: _SeqND[_FloatLike_co], xp: _ArrayLikeFloat_co, fp: _ArrayLike1D[np.complexfloating] | list[complex],
    left: _NumberLike_co | None = None, right: _NumberLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def interp(
    x: _ArrayLikeFloat_co, xp: _ArrayLikeFloat_co, fp: _ArrayLikeFloat_co, left: _FloatLike_co | None = None,
    right: _FloatLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def interp(
    x: _ArrayLikeFloat_co, xp: _ArrayLikeFloat_co, fp: _ArrayLike1D[np.complexfloating],
    left: _NumberLike_co | None = None, right: _NumberLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def interp(
    x: _ArrayLikeFloat_co, xp: _ArrayLikeFloat_co, fp: _ArrayLikeNumber_co, left: _NumberLike_co | None = None,
    right: _NumberLike_co | None = None, period: _FloatLike_co | None = None
) -> LazyArray[np.complex128 | np.float64] | LazyArray[np.complex128] | LazyArray[np.float64]: ...

def iterable(y: object) -> TypeIs[Iterable[Any]]: ...

def kaiser(M: _FloatLike_co, beta: _FloatLike_co) -> LazyArray[np.float64]: ...

@overload
def median(
    a: _ArrayLike[_InexactTimeT], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[_InexactTimeT]: ...
@overload
def median(
    a: _ArrayLikeInt_co | _SeqND[float] | float, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray[np.float64]: ...
@overload
def median(
    a: _ListSeqND[complex], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[np.complex128]: ...
@overload
def median(
    a: complex, axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray: ...
@overload
def median(
    a: _ArrayNumericT, axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *,
    keepdims: bool
) -> _ArrayNumericT: ...
@overload
def median(
    a: _ArrayLike[_ScalarNumericT], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *,
    keepdims: bool
) -> LazyArray[_ScalarNumericT]: ...
@overload
def median(
    a: _ArrayLike[_ScalarNumericT], axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[_ScalarNumericT]: ...
@overload
def median(
    a: _SeqND[float], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *, keepdims: bool
) -> LazyArray[np.float64]: ...
@overload
def median(
    a: _SeqND[float], axis: ShapeLike | None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray[np.float64]: ...
@overload
def median(
    a: _ListSeqND[complex], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *,
    keepdims: bool
) -> LazyArray[np.complex128]: ...
@overload
def median(
    a: _ListSeqND[complex], axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[np.complex128]: ...
@overload
def median(
    a: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_], axis: ShapeLike | None = None, *, out: OutT,
    overwrite_input: bool = False, keepdims: bool = False
) -> OutT: ...
@overload
def median(
    a: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_], axis: ShapeLike | None, out: OutT,
    overwrite_input: bool = False, keepdims: bool = False
) -> OutT: ...
@overload
def median(
    a: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_], axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray: ...

@overload
def meshgrid(
    *xi: _ArrayLike[ScalarT], copy: bool = True, sparse: bool = False, indexing: Literal['ij', 'xy'] = 'xy'
) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def meshgrid(
    *xi: Operand, copy: bool = True, sparse: bool = False, indexing: Literal['ij', 'xy'] = 'xy'
) -> tuple[LazyArray, ...]: ...

@overload
def nanmedian(
    a: _ArrayLike[_InexactTimeT], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[_InexactTimeT]: ...
@overload
def nanmedian(
    a: _ArrayLikeInt_co | _SeqND[float] | float, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray[np.float64]: ...
@overload
def nanmedian(
    a: _ListSeqND[complex], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[np.complex128]: ...
@overload
def nanmedian(
    a: complex, axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray: ...
@overload
def nanmedian(
    a: _ArrayNumericT, axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *,
    keepdims: bool
) -> _ArrayNumericT: ...
@overload
def nanmedian(
    a: _ArrayLike[_ScalarNumericT], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *,
    keepdims: bool
) -> LazyArray[_ScalarNumericT]: ...
@overload
def nanmedian(
    a: _ArrayLike[_ScalarNumericT], axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[_ScalarNumericT]: ...
@overload
def nanmedian(
    a: _SeqND[float], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *, keepdims: bool
) -> LazyArray[np.float64]: ...
@overload
def nanmedian(
    a: _SeqND[float], axis: ShapeLike | None, out: None = None, overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray[np.float64]: ...
@overload
def nanmedian(
    a: _ListSeqND[complex], axis: ShapeLike | None = None, out: None = None, overwrite_input: bool = False, *,
    keepdims: bool
) -> LazyArray[np.complex128]: ...
@overload
def nanmedian(
    a: _ListSeqND[complex], axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    keepdims: bool = False
) -> LazyArray[np.complex128]: ...
@overload
def nanmedian(
    a: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_], axis: ShapeLike | None = None, *, out: OutT,
    overwrite_input: bool = False, keepdims: bool = False
) -> OutT: ...
@overload
def nanmedian(
    a: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_], axis: ShapeLike | None, out: OutT,
    overwrite_input: bool = False, keepdims: bool = False
) -> OutT: ...
@overload
def nanmedian(
    a: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_], axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, keepdims: bool = False
) -> LazyArray: ...

@overload
def nanpercentile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanpercentile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanpercentile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanpercentile(
    a: _ArrayLike[_InexactDateTimeT], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanpercentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanpercentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanpercentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanpercentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanpercentile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanpercentile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanpercentile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanpercentile(
    a: _ListSeqND[complex], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanpercentile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...
@overload
def nanpercentile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def nanpercentile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def nanpercentile(
    a: _ArrayLikeObject_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def nanpercentile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def nanpercentile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None, *, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def nanpercentile(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...

@overload
def nanquantile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanquantile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanquantile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanquantile(
    a: _ArrayLike[_InexactDateTimeT], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def nanquantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanquantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanquantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanquantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def nanquantile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanquantile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanquantile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanquantile(
    a: _ListSeqND[complex], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def nanquantile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...
@overload
def nanquantile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def nanquantile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def nanquantile(
    a: _ArrayLikeObject_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def nanquantile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def nanquantile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None, *, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def nanquantile(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...

@overload
def percentile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def percentile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def percentile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def percentile(
    a: _ArrayLike[_InexactDateTimeT], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def percentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def percentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def percentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def percentile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def percentile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def percentile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def percentile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def percentile(
    a: _ListSeqND[complex], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def percentile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...
@overload
def percentile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def percentile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def percentile(
    a: _ArrayLikeObject_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def percentile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def percentile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None, *, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def percentile(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...

@overload
def piecewise(
    x: Array[ScalarT], condlist: ArrayLike, funclist: _PiecewiseFunctions[Any, _Tss], *args: _Tss.args,
    **kw: _Tss.kwargs
) -> LazyArray[ScalarT]: ...
@overload
def piecewise(
    x: _ArrayLike[ScalarT], condlist: ArrayLike, funclist: _PiecewiseFunctions[Any, _Tss], *args: _Tss.args,
    **kw: _Tss.kwargs
) -> LazyArray[ScalarT]: ...
@overload
def piecewise(
    x: ArrayLike, condlist: ArrayLike, funclist: _PiecewiseFunctions[ScalarT, _Tss], *args: _Tss.args,
    **kw: _Tss.kwargs
) -> LazyArray[ScalarT]: ...

def place(arr: Array[Any], mask: ConvertibleToInt | Sequence[ConvertibleToInt], vals: ArrayLike) -> None: ...

@overload
def quantile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def quantile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def quantile(
    a: _ArrayLike[_InexactDateTimeT], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def quantile(
    a: _ArrayLike[_InexactDateTimeT], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[_InexactDateTimeT]: ...
@overload
def quantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def quantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def quantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def quantile(
    a: _SeqND[float] | _ArrayLikeInt_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.float64]: ...
@overload
def quantile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def quantile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def quantile(
    a: _ListSeqND[complex], q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def quantile(
    a: _ListSeqND[complex], q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.complex128]: ...
@overload
def quantile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False, *,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...
@overload
def quantile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None, out: None = None, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def quantile(
    a: _ArrayLikeObject_co, q: _FloatLike_co, axis: ShapeLike | None = None, out: None = None,
    overwrite_input: bool = False, method: _InterpolationMethod = 'linear', *, keepdims: bool,
    weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def quantile(
    a: _ArrayLikeObject_co, q: Array[_floating_co] | _SeqND[_FloatLike_co], axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray[np.object_]: ...
@overload
def quantile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, *, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def quantile(
    a: ArrayLike, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None, *, out: OutT, overwrite_input: bool = False,
    method: _InterpolationMethod = 'linear', keepdims: bool = False, weights: _ArrayLikeFloat_co | None = None
) -> OutT: ...
@overload
def quantile(
    a: _ArrayLikeNumber_co | _ArrayLikeObject_co, q: _ArrayLikeFloat_co, axis: ShapeLike | None = None,
    out: None = None, overwrite_input: bool = False, method: _InterpolationMethod = 'linear', keepdims: bool = False,
    *, weights: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...

@overload
def rot90(m: OutT, k: int = 1, axes: tuple[int, int] = ...) -> OutT: ...
@overload
def rot90(m: _ArrayLike[ScalarT], k: int = 1, axes: tuple[int, int] = ...) -> LazyArray[ScalarT]: ...
@overload
def rot90(m: ArrayLike, k: int = 1, axes: tuple[int, int] = ...) -> LazyArray: ...

@overload
def select(condlist: _SizedIterable[_ArrayLikeBool_co], choicelist: Sequence[OutT], default: ArrayLike = 0) -> OutT: ...
@overload
def select(
    condlist: _SizedIterable[_ArrayLikeBool_co], choicelist: Sequence[_ArrayLike[ScalarT]] | Array[ScalarT],
    default: ArrayLike = 0
) -> LazyArray[ScalarT]: ...
@overload
def select(
    condlist: _SizedIterable[_ArrayLikeBool_co], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> LazyArray: ...

@overload
def sinc(x: _InexactT) -> LazyArray[_InexactT]: ...
@overload
def sinc(x: float | _float64_co) -> LazyArray[np.float64]: ...
@overload
def sinc(x: complex) -> LazyArray: ...
@overload
def sinc(x: _ArrayInexactT) -> _ArrayInexactT: ...
@overload
def sinc(x: Array[_integer_co]) -> LazyArray[np.float64]: ...
@overload
def sinc(x: _Seq1D[float]) -> LazyArray[np.float64]: ...
@overload
def sinc(x: _Seq2D[float]) -> LazyArray[np.float64]: ...
@overload
def sinc(x: _Seq3D[float]) -> LazyArray[np.float64]: ...
@overload
def sinc(x: _SeqND[float]) -> LazyArray[np.float64]: ...
@overload
def sinc(x: list[complex]) -> LazyArray[np.complex128]: ...
@overload
def sinc(x: _Seq1D[list[complex]]) -> LazyArray[np.complex128]: ...
@overload
def sinc(x: _Seq2D[list[complex]]) -> LazyArray[np.complex128]: ...
@overload
def sinc(x: _ArrayLikeComplex_co) -> LazyArray: ...

@overload
def sort_complex(a: _ArrayComplexT) -> _ArrayComplexT: ...
@overload
def sort_complex(a: Array[np.int8 | np.uint8 | np.int16 | np.uint16]) -> LazyArray[np.complex64]: ...
@overload
def sort_complex(a: _ArrayLike[np.int8 | np.uint8 | np.int16 | np.uint16]) -> LazyArray[np.complex64]: ...
@overload
def sort_complex(a: Array[_SortsToComplex128]) -> LazyArray[np.complex128]: ...
@overload
def sort_complex(a: _ArrayLike[_SortsToComplex128]) -> LazyArray[np.complex128]: ...
@overload
def sort_complex(a: Array[np.longdouble]) -> LazyArray[np.clongdouble]: ...
@overload
def sort_complex(a: _ArrayLike[np.longdouble]) -> LazyArray[np.clongdouble]: ...

@overload
def trapezoid(
    y: Array[_InexactTimeT], x: Array[_InexactTimeT] | _Seq1D[float] | None = None, dx: float = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray[_InexactTimeT]: ...
@overload
def trapezoid(
    y: Array[_float64_co] | _Seq1D[float], x: Array[_float64_co] | _Seq1D[float] | None = None, dx: float = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray[np.float64]: ...
@overload
def trapezoid(
    y: list[complex], x: _Seq1D[complex] | None = None, dx: complex = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.complex128]: ...
@overload
def trapezoid(
    y: _Seq1D[complex], x: list[complex], dx: complex = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.complex128]: ...
@overload
def trapezoid(
    y: Array[_InexactTimeT], x: Array[_InexactTimeT] | _Seq2D[float] | _Seq1D[float] | None = None, dx: float = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray[_InexactTimeT]: ...
@overload
def trapezoid(
    y: Array[_float64_co] | _Seq2D[float], x: Array[_float64_co] | _Seq2D[float] | _Seq1D[float] | None = None,
    dx: float = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.float64]: ...
@overload
def trapezoid(
    y: _Seq1D[list[complex]], x: _Seq2D[complex] | _Seq1D[complex] | None = None, dx: complex = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray[np.complex128]: ...
@overload
def trapezoid(
    y: _Seq2D[complex] | _Seq1D[complex], x: _Seq1D[list[complex]], dx: complex = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.complex128]: ...
@overload
def trapezoid(
    y: _ArrayLike[_InexactTimeT], x: _ArrayLike[_InexactTimeT] | _ArrayLikeInt_co | None = None, dx: complex = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray[_InexactTimeT]: ...
@overload
def trapezoid(
    y: _ArrayLike[_float64_co], x: _ArrayLikeFloat_co | None = None, dx: float = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.float64]: ...
@overload
def trapezoid(
    y: _ArrayLike[np.complex128], x: _ArrayLikeComplex_co | None = None, dx: float = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.complex128]: ...
@overload
def trapezoid(
    y: _ArrayLikeComplex_co, x: _ArrayLike[np.complex128], dx: float = 1.0, axis: SupportsIndex = -1
) -> LazyArray[np.complex128]: ...
@overload
def trapezoid(
    y: _ArrayLikeObject_co, x: _ArrayLikeObject_co | _ArrayLikeFloat_co | None = None, dx: float = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray: ...
@overload
def trapezoid(
    y: _Seq1D[_SupportsRMulFloat[_T]], x: _Seq1D[_SupportsRMulFloat[_T] | _T] | None = None, dx: complex = 1.0,
    axis: SupportsIndex = -1
) -> _T: ...
@overload
def trapezoid(
    y: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_],
    x: _ArrayLikeComplex_co | _ArrayLike[np.timedelta64 | np.object_] | None = None, dx: complex = 1.0,
    axis: SupportsIndex = -1
) -> LazyArray: ...

def trim_zeros(
    filt: _TrimZerosSequence[_T], trim: Literal['f', 'b', 'fb', 'bf'] = 'fb', axis: ShapeLike | None = None
) -> _T: ...

@overload
def unwrap(
    p: _ArrayFloatObjT, discont: float | None = None, axis: int = -1, *, period: float = ...
) -> _ArrayFloatObjT: ...
@overload
def unwrap(
    p: Array[_float64_co], discont: float | None = None, axis: int = -1, *, period: float = ...
) -> LazyArray[np.float64]: ...
@overload
def unwrap(
    p: _Seq1D[float | _float64_co], discont: float | None = None, axis: int = -1, *, period: float = ...
) -> LazyArray[np.float64]: ...
@overload
def unwrap(
    p: _Seq2D[float | _float64_co], discont: float | None = None, axis: int = -1, *, period: float = ...
) -> LazyArray[np.float64]: ...
@overload
def unwrap(
    p: _Seq3D[float | _float64_co], discont: float | None = None, axis: int = -1, *, period: float = ...
) -> LazyArray[np.float64]: ...
@overload
def unwrap(
    p: _SeqND[float] | _ArrayLike[_float64_co], discont: float | None = None, axis: int = -1, *, period: float = ...
) -> LazyArray[np.float64]: ...
@overload
def unwrap(
    p: _ArrayLikeFloat_co | _ArrayLikeObject_co, discont: float | None = None, axis: int = -1, *, period: float = ...
) -> LazyArray: ...
