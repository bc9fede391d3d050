# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import OutT
from numpy._typing import (
    _ArrayLikeBool_co, _ArrayLikeComplex_co, _ArrayLikeFloat_co, _ArrayLikeInt_co, _ArrayLikeObject_co,
    _ArrayLikeUInt_co, _DTypeLikeBool, _DTypeLikeComplex, _DTypeLikeComplex_co, _DTypeLikeFloat, _DTypeLikeInt,
    _DTypeLikeObject, _DTypeLikeUInt)
from typing import Any, Literal, TypeAlias, overload

import numpy as np

_OrderKACF: TypeAlias = Literal['K', 'A', 'C', 'F'] | None
_CastingSafe: TypeAlias = Literal['no', 'equiv', 'safe', 'same_kind']
_OptimizeKind: TypeAlias = bool | Literal['greedy', 'optimal'] | Sequence[Any] | None
_CastingUnsafe: TypeAlias = Literal['unsafe']

@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeBool_co, out: None = None,
    dtype: _DTypeLikeBool | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeUInt_co, out: None = None,
    dtype: _DTypeLikeUInt | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeInt_co, out: None = None,
    dtype: _DTypeLikeInt | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeFloat_co, out: None = None,
    dtype: _DTypeLikeFloat | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeComplex_co, out: None = None,
    dtype: _DTypeLikeComplex | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: Any, casting: _CastingUnsafe,
    dtype: _DTypeLikeComplex_co | None = ..., out: None = None, order: _OrderKACF = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeComplex_co, out: OutT,
    dtype: _DTypeLikeComplex_co | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> OutT: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: Any, out: OutT, casting: _CastingUnsafe,
    dtype: _DTypeLikeComplex_co | None = ..., order: _OrderKACF = ..., optimize: _OptimizeKind = False
) -> OutT: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeObject_co, out: None = None,
    dtype: _DTypeLikeObject | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: Any, casting: _CastingUnsafe,
    dtype: _DTypeLikeObject | None = ..., out: None = None, order: _OrderKACF = ..., optimize: _OptimizeKind = False
) -> LazyArray: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeObject_co, out: OutT,
    dtype: _DTypeLikeObject | None = ..., order: _OrderKACF = ..., casting: _CastingSafe = ...,
    optimize: _OptimizeKind = False
) -> OutT: ...
@overload
def einsum(
    subscripts: str | _ArrayLikeInt_co, /, *operands: Any, out: OutT, casting: _CastingUnsafe,
    dtype: _DTypeLikeObject | None = ..., order: _OrderKACF = ..., optimize: _OptimizeKind = False
) -> OutT: ...

def einsum_path(
    subscripts: str | _ArrayLikeInt_co, /, *operands: _ArrayLikeComplex_co | _DTypeLikeObject,
    optimize: _OptimizeKind = 'greedy', einsum_call: Literal[False] = False
) -> tuple[list[LazyArray], str]: ...
