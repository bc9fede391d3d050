# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import OutT, ScalarT
from numpy._typing import ArrayLike, DTypeLike, _ArrayLike, _DTypeLike
from typing import Literal, SupportsIndex, TypeAlias, overload
from typing_extensions import TypeVar

import numpy as np

_ScalarT1 = TypeVar('_ScalarT1', bound=np.generic)
_ScalarT2 = TypeVar('_ScalarT2', bound=np.generic)
_CastingKind: TypeAlias = Literal['no', 'equiv', 'safe', 'same_kind', 'same_value', 'unsafe']

@overload
def atleast_1d(a0: _ArrayLike[ScalarT], /) -> LazyArray[ScalarT]: ...
@overload
def atleast_1d(
    a0: _ArrayLike[_ScalarT1], a1: _ArrayLike[_ScalarT2], /
) -> tuple[LazyArray[_ScalarT1], LazyArray[_ScalarT2]]: ...
@overload
def atleast_1d(
    a0: _ArrayLike[ScalarT], a1: _ArrayLike[ScalarT], /, *arys: _ArrayLike[ScalarT]
) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def atleast_1d(a0: ArrayLike, /) -> LazyArray: ...
@overload
def atleast_1d(a0: ArrayLike, a1: ArrayLike, /) -> tuple[LazyArray, LazyArray]: ...
@overload
def atleast_1d(a0: ArrayLike, a1: ArrayLike, /, *ai: ArrayLike) -> tuple[LazyArray, ...]: ...

@overload
def atleast_2d(a0: _ArrayLike[ScalarT], /) -> LazyArray[ScalarT]: ...
@overload
def atleast_2d(
    a0: _ArrayLike[_ScalarT1], a1: _ArrayLike[_ScalarT2], /
) -> tuple[LazyArray[_ScalarT1], LazyArray[_ScalarT2]]: ...
@overload
def atleast_2d(
    a0: _ArrayLike[ScalarT], a1: _ArrayLike[ScalarT], /, *arys: _ArrayLike[ScalarT]
) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def atleast_2d(a0: ArrayLike, /) -> LazyArray: ...
@overload
def atleast_2d(a0: ArrayLike, a1: ArrayLike, /) -> tuple[LazyArray, LazyArray]: ...
@overload
def atleast_2d(a0: ArrayLike, a1: ArrayLike, /, *ai: ArrayLike) -> tuple[LazyArray, ...]: ...

@overload
def atleast_3d(a0: _ArrayLike[ScalarT], /) -> LazyArray[ScalarT]: ...
@overload
def atleast_3d(
    a0: _ArrayLike[_ScalarT1], a1: _ArrayLike[_ScalarT2], /
) -> tuple[LazyArray[_ScalarT1], LazyArray[_ScalarT2]]: ...
@overload
def atleast_3d(
    a0: _ArrayLike[ScalarT], a1: _ArrayLike[ScalarT], /, *arys: _ArrayLike[ScalarT]
) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def atleast_3d(a0: ArrayLike, /) -> LazyArray: ...
@overload
def atleast_3d(a0: ArrayLike, a1: ArrayLike, /) -> tuple[LazyArray, LazyArray]: ...
@overload
def atleast_3d(a0: ArrayLike, a1: ArrayLike, /, *ai: ArrayLike) -> tuple[LazyArray, ...]: ...

@overload
def block(arrays: _ArrayLike[ScalarT]) -> LazyArray[ScalarT]: ...
@overload
def block(arrays: ArrayLike) -> LazyArray: ...

@overload
def hstack(
    tup: Sequence[_ArrayLike[ScalarT]], *, dtype: None = None, casting: _CastingKind = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def hstack(
    tup: Sequence[ArrayLike], *, dtype: _DTypeLike[ScalarT], casting: _CastingKind = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def hstack(
    tup: Sequence[ArrayLike], *, dtype: type[bool], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.bool]: ...
@overload
def hstack(
    tup: Sequence[ArrayLike], *, dtype: type[int], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.intp]: ...
@overload
def hstack(
    tup: Sequence[ArrayLike], *, dtype: type[float], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.float64]: ...
@overload
def hstack(
    tup: Sequence[ArrayLike], *, dtype: type[complex], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.complex128]: ...
@overload
def hstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: _CastingKind = 'same_kind'
) -> LazyArray: ...

@overload
def stack(
    arrays: Sequence[_ArrayLike[ScalarT]], axis: SupportsIndex = 0, out: None = None, *, dtype: None = None,
    casting: _CastingKind = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, out: None = None, *, dtype: _DTypeLike[ScalarT],
    casting: _CastingKind = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, out: None = None, *, dtype: type[bool],
    casting: _CastingKind = 'same_kind'
) -> LazyArray[np.bool]: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, out: None = None, *, dtype: type[int],
    casting: _CastingKind = 'same_kind'
) -> LazyArray[np.intp]: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, out: None = None, *, dtype: type[float],
    casting: _CastingKind = 'same_kind'
) -> LazyArray[np.float64]: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, out: None = None, *, dtype: type[complex],
    casting: _CastingKind = 'same_kind'
) -> LazyArray[np.complex128]: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, out: None = None, *, dtype: DTypeLike | None = None,
    casting: _CastingKind = 'same_kind'
) -> LazyArray: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex, out: OutT, *, dtype: DTypeLike | None = None,
    casting: _CastingKind = 'same_kind'
) -> OutT: ...
@overload
def stack(
    arrays: Sequence[ArrayLike], axis: SupportsIndex = 0, *, out: OutT, dtype: DTypeLike | None = None,
    casting: _CastingKind = 'same_kind'
) -> OutT: ...

@overload
def unstack(array: _ArrayLike[ScalarT], /, *, axis: int = 0) -> tuple[LazyArray[ScalarT], ...]: ...
@overload
def unstack(array: ArrayLike, /, *, axis: int = 0) -> tuple[LazyArray, ...]: ...

@overload
def vstack(
    tup: Sequence[_ArrayLike[ScalarT]], *, dtype: None = None, casting: _CastingKind = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def vstack(
    tup: Sequence[ArrayLike], *, dtype: _DTypeLike[ScalarT], casting: _CastingKind = 'same_kind'
) -> LazyArray[ScalarT]: ...
@overload
def vstack(
    tup: Sequence[ArrayLike], *, dtype: type[bool], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.bool]: ...
@overload
def vstack(
    tup: Sequence[ArrayLike], *, dtype: type[int], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.intp]: ...
@overload
def vstack(
    tup: Sequence[ArrayLike], *, dtype: type[float], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.float64]: ...
@overload
def vstack(
    tup: Sequence[ArrayLike], *, dtype: type[complex], casting: _CastingKind = 'same_kind'
) -> LazyArray[np.complex128]: ...
@overload
def vstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: _CastingKind = 'same_kind'
) -> LazyArray: ...
