# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
import array as _array
import builtins
import datetime as dt
import mmap
from _typeshed import StrOrBytesPath, SupportsFlush, SupportsLenAndGetItem
from collections.abc import Iterable, Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import (
    Array, Casting, InexactT, NumberT, Operand, Order, OutT, SameScalarT, ScalarT, ShapeLike)
from numpy import _CopyMode
from numpy._typing import (
    ArrayLike, DTypeLike, _ArrayLike, _ArrayLikeBool_co, _ArrayLikeComplex_co, _ArrayLikeDT64_co, _ArrayLikeFloat64_co,
    _ArrayLikeFloat_co, _ArrayLikeInt_co, _ArrayLikeObject_co, _ArrayLikeTD64_co, _ArrayLikeUInt_co, _DT64Codes,
    _DTypeLike, _FloatLike_co, _IntLike_co, _NestedSequence, _ScalarLike_co, _SupportsArrayFunc, _SupportsDType,
    _TD64Like_co)
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, overload
from typing_extensions import CapsuleType, TypeVar

import numpy as np

_ArangeScalar: TypeAlias = np.integer | np.floating | np.datetime64 | np.timedelta64
_ArangeScalarT = TypeVar('_ArangeScalarT', bound=_ArangeScalar)
_OrderKACF: TypeAlias = Literal['K', 'A', 'C', 'F'] | None
_ToDates: TypeAlias = dt.date | _NestedSequence[dt.date]
_ToDeltas: TypeAlias = dt.timedelta | _NestedSequence[dt.timedelta]
_RollKind: TypeAlias = Literal['nat', 'forward', 'following', 'backward', 'preceding', 'modifiedfollowing', 'modifiedpreceding']
_CastingKind: TypeAlias = Literal['no', 'equiv', 'safe', 'same_kind', 'same_value', 'unsafe']
_UnitKind: TypeAlias = Literal['Y', 'M', 'D', 'h', 'm', 's', 'ms', 'us', 'μs', 'ns', 'ps', 'fs', 'as']
_TimezoneContext: TypeAlias = Literal['naive', 'UTC', 'local'] | dt.tzinfo
_OrderCF: TypeAlias = Literal['C', 'F'] | None
_T_contra = TypeVar('_T_contra', contravariant=True)
class _SupportsDLPack(Protocol[_T_contra]):

    def __dlpack__(self, /, *, stream: _T_contra | None=None) -> CapsuleType:
        ...
_SupportsBuffer: TypeAlias = bytes | bytearray | memoryview | _array.array[Any] | mmap.mmap | Array[Any] | np.generic
class _SupportsFileMethods(SupportsFlush, Protocol):

    def fileno(self) -> SupportsIndex:
        ...

    def tell(self) -> SupportsIndex:
        ...

    def seek(self, offset: int, whence: int, /) -> object:
        ...
_MaxWork: TypeAlias = Literal[-1, 0]
_BitOrder: TypeAlias = Literal['big', 'little']
_ModeKind: TypeAlias = Literal['raise', 'wrap', 'clip']

@overload
def arange(
    start_or_stop: _ArangeScalar | float, /, stop: _ArangeScalar | float | None = None,
    step: _ArangeScalar | float | None = 1, *, dtype: _DTypeLike[_ArangeScalarT], device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[_ArangeScalarT]: ...
@overload
def arange(
    start_or_stop: _IntLike_co, /, stop: _IntLike_co | None = None, step: _IntLike_co | None = 1, *,
    dtype: type[int] | _DTypeLike[np.int_] | None = None, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.int_]: ...
@overload
def arange(
    start_or_stop: float | np.floating, /, stop: _FloatLike_co | None = None, step: _FloatLike_co | None = 1, *,
    dtype: type[float] | _DTypeLike[np.float64] | None = None, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def arange(
    start_or_stop: _FloatLike_co, /, stop: float | np.floating, step: _FloatLike_co | None = 1, *,
    dtype: type[float] | _DTypeLike[np.float64] | None = None, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def arange(
    start_or_stop: np.timedelta64, /, stop: _TD64Like_co | None = None, step: _TD64Like_co | None = 1, *,
    dtype: _DTypeLike[np.timedelta64] | None = None, device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.timedelta64[Any]]: ...
@overload
def arange(
    start_or_stop: _TD64Like_co, /, stop: np.timedelta64, step: _TD64Like_co | None = 1, *,
    dtype: _DTypeLike[np.timedelta64] | None = None, device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.timedelta64[Any]]: ...
@overload
def arange(
    start_or_stop: np.datetime64, /, stop: np.datetime64, step: _TD64Like_co | None = 1, *,
    dtype: _DTypeLike[np.datetime64] | None = None, device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.datetime64[Any]]: ...
@overload
def arange(
    start_or_stop: str, /, stop: str, step: _TD64Like_co | None = 1, *, dtype: _DTypeLike[np.datetime64] | _DT64Codes,
    device: str | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.datetime64[Any]]: ...
@overload
def arange(
    start_or_stop: _ArangeScalar | float | str, /, stop: _ArangeScalar | float | str | None = None,
    step: _ArangeScalar | float | None = 1, *, dtype: DTypeLike | None = None, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def array(
    object: bool | Sequence[bool] | Sequence[Sequence[bool]], dtype: None = None, *, copy: bool | None = None,
    order: Order = 'K', subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def array(
    object: int | Sequence[int] | Sequence[Sequence[int]], dtype: None = None, *, copy: bool | None = None,
    order: Order = 'K', subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def array(
    object: float | Sequence[float] | Sequence[Sequence[float]], dtype: None = None, *, copy: bool | None = None,
    order: Order = 'K', subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def array(
    object: complex | Sequence[complex] | Sequence[Sequence[complex]], dtype: None = None, *, copy: bool | None = None,
    order: Order = 'K', subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def array(
    object: OutT, dtype: None = None, *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: Literal[True], ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> OutT: ...
@overload
def array(
    object: _ArrayLike[ScalarT], dtype: None = None, *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def array(
    object: Any, dtype: _DTypeLike[ScalarT], *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def array(
    object: Any, dtype: type[bool], *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def array(
    object: Any, dtype: type[int], *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def array(
    object: Any, dtype: type[float], *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def array(
    object: Any, dtype: type[complex], *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def array(
    object: Any, dtype: DTypeLike | None = None, *, copy: bool | _CopyMode | None = True, order: _OrderKACF = 'K',
    subok: bool = False, ndmin: int = 0, ndmax: int = 0, like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def asanyarray(
    a: bool | Sequence[bool] | Sequence[Sequence[bool]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def asanyarray(
    a: int | Sequence[int] | Sequence[Sequence[int]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def asanyarray(
    a: float | Sequence[float] | Sequence[Sequence[float]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def asanyarray(
    a: complex | Sequence[complex] | Sequence[Sequence[complex]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def asanyarray(
    a: OutT, dtype: None = None, order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> OutT: ...
@overload
def asanyarray(
    a: _ArrayLike[ScalarT], dtype: None = None, order: _OrderKACF = ..., *, device: str | None = ...,
    copy: bool | None = ..., like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def asanyarray(
    a: Any, dtype: _DTypeLike[ScalarT], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def asanyarray(
    a: Any, dtype: type[bool], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.bool]: ...
@overload
def asanyarray(
    a: Any, dtype: type[int], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.intp]: ...
@overload
def asanyarray(
    a: Any, dtype: type[float], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def asanyarray(
    a: Any, dtype: type[complex], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def asanyarray(
    a: Any, dtype: DTypeLike | None = ..., order: _OrderKACF = ..., *, device: str | None = ...,
    copy: bool | None = ..., like: _SupportsArrayFunc | None = ...
) -> LazyArray: ...

@overload
def asarray(
    a: bool | Sequence[bool] | Sequence[Sequence[bool]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def asarray(
    a: int | Sequence[int] | Sequence[Sequence[int]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def asarray(
    a: float | Sequence[float] | Sequence[Sequence[float]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def asarray(
    a: complex | Sequence[complex] | Sequence[Sequence[complex]], dtype: None = None, order: Order = None, *,
    device: str | None = None, copy: bool | None = None, like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def asarray(
    a: _ArrayLike[ScalarT], dtype: None = None, order: _OrderKACF = ..., *, device: str | None = ...,
    copy: bool | None = ..., like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def asarray(
    a: Any, dtype: _DTypeLike[ScalarT], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def asarray(
    a: Any, dtype: type[bool], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.bool]: ...
@overload
def asarray(
    a: Any, dtype: type[int], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.intp]: ...
@overload
def asarray(
    a: Any, dtype: type[float], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def asarray(
    a: Any, dtype: type[complex], order: _OrderKACF = ..., *, device: str | None = ..., copy: bool | None = ...,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def asarray(
    a: Any, dtype: DTypeLike | None = ..., order: _OrderKACF = ..., *, device: str | None = ...,
    copy: bool | None = ..., like: _SupportsArrayFunc | None = ...
) -> LazyArray: ...

@overload
def ascontiguousarray(
    a: _ArrayLike[ScalarT], dtype: None = None, *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def ascontiguousarray(
    a: Any, dtype: _DTypeLike[ScalarT], *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def ascontiguousarray(a: Any, dtype: type[bool], *, like: _SupportsArrayFunc | None = ...) -> LazyArray[np.bool]: ...
@overload
def ascontiguousarray(a: Any, dtype: type[int], *, like: _SupportsArrayFunc | None = ...) -> LazyArray[np.intp]: ...
@overload
def ascontiguousarray(
    a: Any, dtype: type[float], *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def ascontiguousarray(
    a: Any, dtype: type[complex], *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def ascontiguousarray(a: Any, dtype: DTypeLike | None = ..., *, like: _SupportsArrayFunc | None = ...) -> LazyArray: ...

@overload
def asfortranarray(
    a: _ArrayLike[ScalarT], dtype: None = None, *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def asfortranarray(
    a: Any, dtype: _DTypeLike[ScalarT], *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def asfortranarray(a: Any, dtype: type[bool], *, like: _SupportsArrayFunc | None = ...) -> LazyArray[np.bool]: ...
@overload
def asfortranarray(a: Any, dtype: type[int], *, like: _SupportsArrayFunc | None = ...) -> LazyArray[np.intp]: ...
@overload
def asfortranarray(a: Any, dtype: type[float], *, like: _SupportsArrayFunc | None = ...) -> LazyArray[np.float64]: ...
@overload
def asfortranarray(
    a: Any, dtype: type[complex], *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def asfortranarray(a: Any, dtype: DTypeLike | None = ..., *, like: _SupportsArrayFunc | None = ...) -> LazyArray: ...

def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: SupportsIndex = 0) -> LazyArray[np.intp]: ...

@overload
def busday_count(
    begindates: _ScalarLike_co | dt.date, enddates: _ScalarLike_co | dt.date, weekmask: ArrayLike = '1111100',
    holidays: ArrayLike | _ToDates = ..., busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.int_]: ...
@overload
def busday_count(
    begindates: ArrayLike | _ToDates, enddates: ArrayLike | _ToDates, weekmask: ArrayLike = '1111100',
    holidays: ArrayLike | _ToDates = ..., busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.int_]: ...
@overload
def busday_count(
    begindates: ArrayLike | _ToDates, enddates: ArrayLike | _ToDates, weekmask: ArrayLike = '1111100',
    holidays: ArrayLike | _ToDates = ..., busdaycal: np.busdaycalendar | None = None, *, out: OutT
) -> OutT: ...
@overload
def busday_count(
    begindates: ArrayLike | _ToDates, enddates: ArrayLike | _ToDates, weekmask: ArrayLike,
    holidays: ArrayLike | _ToDates, busdaycal: np.busdaycalendar | None, out: OutT
) -> OutT: ...

@overload
def busday_offset(
    dates: np.datetime64 | dt.date, offsets: _TD64Like_co | dt.timedelta, roll: Literal['raise'] = 'raise',
    weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.datetime64]: ...
@overload
def busday_offset(
    dates: _ArrayLike[np.datetime64] | _NestedSequence[dt.date], offsets: _ArrayLikeTD64_co | _ToDeltas,
    roll: Literal['raise'] = 'raise', weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.datetime64]: ...
@overload
def busday_offset(
    dates: _ArrayLike[np.datetime64] | _ToDates, offsets: _ArrayLikeTD64_co | _ToDeltas,
    roll: Literal['raise'] = 'raise', weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, *, out: OutT
) -> OutT: ...
@overload
def busday_offset(
    dates: _ArrayLike[np.datetime64] | _ToDates, offsets: _ArrayLikeTD64_co | _ToDeltas, roll: Literal['raise'],
    weekmask: ArrayLike, holidays: ArrayLike | _ToDates | None, busdaycal: np.busdaycalendar | None, out: OutT
) -> OutT: ...
@overload
def busday_offset(
    dates: _ScalarLike_co | dt.date, offsets: _ScalarLike_co | dt.timedelta, roll: _RollKind,
    weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.datetime64]: ...
@overload
def busday_offset(
    dates: ArrayLike | _NestedSequence[dt.date], offsets: ArrayLike | _ToDeltas, roll: _RollKind,
    weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.datetime64]: ...
@overload
def busday_offset(
    dates: ArrayLike | _ToDates, offsets: ArrayLike | _ToDeltas, roll: _RollKind, weekmask: ArrayLike = '1111100',
    holidays: ArrayLike | _ToDates | None = None, busdaycal: np.busdaycalendar | None = None, *, out: OutT
) -> OutT: ...
@overload
def busday_offset(
    dates: ArrayLike | _ToDates, offsets: ArrayLike | _ToDeltas, roll: _RollKind, weekmask: ArrayLike,
    holidays: ArrayLike | _ToDates | None, busdaycal: np.busdaycalendar | None, out: OutT
) -> OutT: ...

def can_cast(from_: ArrayLike | DTypeLike, to: DTypeLike, casting: _CastingKind = 'safe') -> bool: ...

@overload
def concat(
    arrays: Sequence[_ArrayLike[ScalarT]], /, axis: SupportsIndex | None = 0, out: None = None, *, dtype: None = None,
    casting: Casting = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def concat(
    arrays: _ArrayLike[ScalarT], /, axis: SupportsIndex | None = 0, out: None = None, *, dtype: None = None,
    casting: _CastingKind | None = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: _DTypeLike[ScalarT], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: type[bool], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.bool]: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *, dtype: type[int],
    casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.intp]: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: type[float], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.float64]: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: type[complex], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.complex128]: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: DTypeLike | None = None, casting: _CastingKind | None = 'same_kind'
) -> LazyArray: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, *, out: OutT,
    dtype: DTypeLike | None = None, casting: _CastingKind | None = 'same_kind'
) -> OutT: ...
@overload
def concat(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None, out: OutT, *,
    dtype: DTypeLike | None = None, casting: _CastingKind | None = 'same_kind'
) -> OutT: ...

@overload
def concatenate(
    arrays: Sequence[_ArrayLike[ScalarT]], /, axis: SupportsIndex | None = 0, out: None = None, *, dtype: None = None,
    casting: Casting = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def concatenate(
    arrays: _ArrayLike[ScalarT], /, axis: SupportsIndex | None = 0, out: None = None, *, dtype: None = None,
    casting: _CastingKind | None = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: _DTypeLike[ScalarT], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: type[bool], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.bool]: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *, dtype: type[int],
    casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.intp]: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: type[float], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.float64]: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: type[complex], casting: _CastingKind | None = 'same_kind'
) -> LazyArray[np.complex128]: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, out: None = None, *,
    dtype: DTypeLike | None = None, casting: _CastingKind | None = 'same_kind'
) -> LazyArray: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None = 0, *, out: OutT,
    dtype: DTypeLike | None = None, casting: _CastingKind | None = 'same_kind'
) -> OutT: ...
@overload
def concatenate(
    arrays: SupportsLenAndGetItem[ArrayLike], /, axis: SupportsIndex | None, out: OutT, *,
    dtype: DTypeLike | None = None, casting: _CastingKind | None = 'same_kind'
) -> OutT: ...

def copyto(dst: Array[Any], src: ArrayLike, casting: _CastingKind = 'same_kind', where: object = True) -> None: ...

@overload
def datetime_as_string(
    arr: np.datetime64 | dt.date, unit: Literal['auto'] | _UnitKind | None = None,
    timezone: _TimezoneContext = 'naive', casting: _CastingKind = 'same_kind'
) -> LazyArray[np.str_]: ...
@overload
def datetime_as_string(
    arr: _ArrayLikeDT64_co | _NestedSequence[dt.date], unit: Literal['auto'] | _UnitKind | None = None,
    timezone: _TimezoneContext = 'naive', casting: _CastingKind = 'same_kind'
) -> LazyArray[np.str_]: ...

def datetime_data(dtype: str | _DTypeLike[np.datetime64 | np.timedelta64], /) -> tuple[str, int]: ...

@overload
def dot(a: ArrayLike, b: ArrayLike, out: None = None) -> LazyArray: ...
@overload
def dot(a: ArrayLike, b: ArrayLike, out: OutT) -> OutT: ...

@overload
def empty(
    shape: ShapeLike, dtype: None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def empty(
    shape: ShapeLike, dtype: _DTypeLike[ScalarT], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def empty(
    shape: ShapeLike, dtype: type[bool], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def empty(
    shape: ShapeLike, dtype: type[int], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def empty(
    shape: ShapeLike, dtype: type[float], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def empty(
    shape: ShapeLike, dtype: type[complex], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def empty(
    shape: ShapeLike, dtype: DTypeLike | None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def empty_like(
    prototype: OutT, /, dtype: None = None, order: _OrderKACF = 'K', subok: bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> OutT: ...
@overload
def empty_like(
    prototype: _ArrayLike[ScalarT], /, dtype: None = None, order: _OrderKACF = 'K', subok: bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def empty_like(
    prototype: Any, /, dtype: _DTypeLike[ScalarT], order: _OrderKACF = 'K', subok: bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[ScalarT]: ...
@overload
def empty_like(
    prototype: Any, /, dtype: type[bool], order: _OrderKACF = 'K', subok: bool = True, shape: ShapeLike | None = None,
    *, device: str | None = None
) -> LazyArray[np.bool]: ...
@overload
def empty_like(
    prototype: Any, /, dtype: type[int], order: _OrderKACF = 'K', subok: bool = True, shape: ShapeLike | None = None,
    *, device: str | None = None
) -> LazyArray[np.intp]: ...
@overload
def empty_like(
    prototype: Any, /, dtype: type[float], order: _OrderKACF = 'K', subok: bool = True, shape: ShapeLike | None = None,
    *, device: str | None = None
) -> LazyArray[np.float64]: ...
@overload
def empty_like(
    prototype: Any, /, dtype: type[complex], order: _OrderKACF = 'K', subok: bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray[np.complex128]: ...
@overload
def empty_like(
    prototype: Any, /, dtype: DTypeLike | None = None, order: _OrderKACF = 'K', subok: bool = True,
    shape: ShapeLike | None = None, *, device: str | None = None
) -> LazyArray: ...

def from_dlpack(
    x: _SupportsDLPack[None], /, *, device: str | None = None, copy: builtins.bool | None = None
) -> LazyArray[np.number | np.bool]: ...

@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: None = None, count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: _DTypeLike[ScalarT], count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: type[bool], count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.bool]: ...
@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: type[int], count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.intp]: ...
@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: type[float], count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: type[complex], count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def frombuffer(
    buffer: _SupportsBuffer, dtype: DTypeLike | None = ..., count: SupportsIndex = ..., offset: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray: ...

@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: None = None, count: SupportsIndex = ..., sep: str = ...,
    offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: _DTypeLike[ScalarT], count: SupportsIndex = ...,
    sep: str = ..., offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: type[bool], count: SupportsIndex = ..., sep: str = ...,
    offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.bool]: ...
@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: type[int], count: SupportsIndex = ..., sep: str = ...,
    offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.intp]: ...
@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: type[float], count: SupportsIndex = ..., sep: str = ...,
    offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: type[complex], count: SupportsIndex = ..., sep: str = ...,
    offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def fromfile(
    file: StrOrBytesPath | _SupportsFileMethods, dtype: DTypeLike | None = ..., count: SupportsIndex = ...,
    sep: str = ..., offset: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray: ...

@overload
def fromiter(
    iter: Iterable[Any], dtype: _DTypeLike[ScalarT], count: SupportsIndex = ..., *,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def fromiter(
    iter: Iterable[Any], dtype: type[bool], count: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.bool]: ...
@overload
def fromiter(
    iter: Iterable[Any], dtype: type[int], count: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.intp]: ...
@overload
def fromiter(
    iter: Iterable[Any], dtype: type[float], count: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def fromiter(
    iter: Iterable[Any], dtype: type[complex], count: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def fromiter(
    iter: Iterable[Any], dtype: DTypeLike | None, count: SupportsIndex = ..., *, like: _SupportsArrayFunc | None = ...
) -> LazyArray: ...

@overload
def fromstring(
    string: str | bytes, dtype: None = None, count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def fromstring(
    string: str | bytes, dtype: _DTypeLike[ScalarT], count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[ScalarT]: ...
@overload
def fromstring(
    string: str | bytes, dtype: type[bool], count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.bool]: ...
@overload
def fromstring(
    string: str | bytes, dtype: type[int], count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.intp]: ...
@overload
def fromstring(
    string: str | bytes, dtype: type[float], count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.float64]: ...
@overload
def fromstring(
    string: str | bytes, dtype: type[complex], count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray[np.complex128]: ...
@overload
def fromstring(
    string: str | bytes, dtype: DTypeLike | None = ..., count: SupportsIndex = ..., *, sep: str,
    like: _SupportsArrayFunc | None = ...
) -> LazyArray: ...

def inner(a: ArrayLike, b: ArrayLike, /) -> LazyArray: ...

@overload
def is_busday(
    dates: _ScalarLike_co | dt.date, weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.bool]: ...
@overload
def is_busday(
    dates: ArrayLike | _NestedSequence[dt.date], weekmask: ArrayLike = '1111100',
    holidays: ArrayLike | _ToDates | None = None, busdaycal: np.busdaycalendar | None = None, out: None = None
) -> LazyArray[np.bool]: ...
@overload
def is_busday(
    dates: ArrayLike | _ToDates, weekmask: ArrayLike = '1111100', holidays: ArrayLike | _ToDates | None = None,
    busdaycal: np.busdaycalendar | None = None, *, out: OutT
) -> OutT: ...
@overload
def is_busday(
    dates: ArrayLike | _ToDates, weekmask: ArrayLike, holidays: ArrayLike | _ToDates | None,
    busdaycal: np.busdaycalendar | None, out: OutT
) -> OutT: ...

def lexsort(keys: ArrayLike, axis: SupportsIndex = -1) -> LazyArray[np.intp]: ...

def may_share_memory(a: object, b: object, /, max_work: _MaxWork = 0) -> bool: ...

def min_scalar_type(a: ArrayLike, /) -> np.dtype: ...

@overload
def ones(
    shape: ShapeLike, dtype: None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def ones(
    shape: ShapeLike, dtype: _DTypeLike[ScalarT], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def ones(
    shape: ShapeLike, dtype: type[bool], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def ones(
    shape: ShapeLike, dtype: type[int], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def ones(
    shape: ShapeLike, dtype: type[float], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def ones(
    shape: ShapeLike, dtype: type[complex], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def ones(
    shape: ShapeLike, dtype: DTypeLike | None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...

@overload
def packbits(
    a: _ArrayLikeInt_co, /, axis: SupportsIndex | None = None, bitorder: _BitOrder = 'big'
) -> LazyArray[np.uint8]: ...
@overload
def packbits(
    a: _ArrayLikeInt_co, /, axis: SupportsIndex | None, bitorder: _BitOrder = 'big'
) -> LazyArray[np.uint8]: ...

def promote_types(__type1: DTypeLike, __type2: DTypeLike) -> np.dtype: ...

def putmask(a: Array[Any], /, mask: _ArrayLikeBool_co, values: ArrayLike) -> None: ...

@overload
def ravel_multi_index(
    multi_index: SupportsLenAndGetItem[_IntLike_co], dims: ShapeLike, mode: _ModeKind | tuple[_ModeKind,
    ...] = 'raise', order: _OrderCF = 'C'
) -> LazyArray[np.intp]: ...
@overload
def ravel_multi_index(
    multi_index: SupportsLenAndGetItem[_ArrayLikeInt_co], dims: ShapeLike, mode: _ModeKind | tuple[_ModeKind,
    ...] = 'raise', order: _OrderCF = 'C'
) -> LazyArray[np.intp]: ...

def result_type(*arrays_and_dtypes: ArrayLike | DTypeLike | None) -> np.dtype: ...

def shares_memory(a: object, b: object, /, max_work: _MaxWork = -1) -> bool: ...

@overload
def unpackbits(
    a: _ArrayLike[np.uint8], /, axis: SupportsIndex | None = None, count: SupportsIndex | None = None,
    bitorder: _BitOrder = 'big'
) -> LazyArray[np.uint8]: ...
@overload
def unpackbits(
    a: _ArrayLike[np.uint8], /, axis: SupportsIndex | None, count: SupportsIndex | None = None,
    bitorder: _BitOrder = 'big'
) -> LazyArray[np.uint8]: ...

@overload
def unravel_index(indices: _IntLike_co, shape: ShapeLike, order: _OrderCF = 'C') -> tuple[LazyArray[np.intp], ...]: ...
@overload
def unravel_index(
    indices: _ArrayLikeInt_co, shape: ShapeLike, order: _OrderCF = 'C'
) -> tuple[LazyArray[np.intp], ...]: ...

@overload
def vdot(a: _ArrayLikeBool_co, b: _ArrayLikeBool_co, /) -> LazyArray[np.bool]: ...
@overload
def vdot(a: _ArrayLikeUInt_co, b: _ArrayLikeUInt_co, /) -> LazyArray[np.unsignedinteger]: ...
@overload
def vdot(a: _ArrayLikeInt_co, b: _ArrayLikeInt_co, /) -> LazyArray[np.signedinteger]: ...
@overload
def vdot(a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co, /) -> LazyArray[np.floating]: ...
@overload
def vdot(a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co, /) -> LazyArray[np.complexfloating]: ...
@overload
def vdot(a: _ArrayLikeTD64_co, b: _ArrayLikeTD64_co, /) -> LazyArray[np.timedelta64]: ...
@overload
def vdot(a: _ArrayLikeObject_co, b: object, /) -> LazyArray: ...
@overload
def vdot(a: object, b: _ArrayLikeObject_co, /) -> LazyArray: ...

@overload
def where(condition: Operand, /) -> tuple[LazyArray[np.intp], ...]: ...
@overload
def where(condition: Operand, x: _ArrayLike[SameScalarT], y: _ArrayLike[SameScalarT], /) -> LazyArray[SameScalarT]: ...
@overload
def where(condition: Operand, x: _ArrayLike[NumberT], y: int, /) -> LazyArray[NumberT]: ...
@overload
def where(condition: Operand, x: int, y: _ArrayLike[NumberT], /) -> LazyArray[NumberT]: ...
@overload
def where(condition: Operand, x: _ArrayLike[InexactT], y: float, /) -> LazyArray[InexactT]: ...
@overload
def where(condition: Operand, x: float, y: _ArrayLike[InexactT], /) -> LazyArray[InexactT]: ...
@overload
def where(condition: Operand, x: _ArrayLikeFloat64_co, y: _ArrayLike[np.float64], /) -> LazyArray[np.float64]: ...
@overload
def where(condition: Operand, x: _ArrayLike[np.float64], y: _ArrayLikeFloat64_co, /) -> LazyArray[np.float64]: ...
@overload
def where(condition: Operand, x: Operand, y: Operand, /) -> LazyArray: ...

@overload
def zeros(
    shape: ShapeLike, dtype: None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def zeros(
    shape: ShapeLike, dtype: _DTypeLike[ScalarT], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[ScalarT]: ...
@overload
def zeros(
    shape: ShapeLike, dtype: type[bool], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.bool]: ...
@overload
def zeros(
    shape: ShapeLike, dtype: type[int], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.intp]: ...
@overload
def zeros(
    shape: ShapeLike, dtype: type[float], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.float64]: ...
@overload
def zeros(
    shape: ShapeLike, dtype: type[complex], order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray[np.complex128]: ...
@overload
def zeros(
    shape: ShapeLike, dtype: DTypeLike | None = None, order: _OrderCF = 'C', *, device: str | None = None,
    like: _SupportsArrayFunc | None = None
) -> LazyArray: ...
