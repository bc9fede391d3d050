# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Iterable
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, Operand, SameNumberT, ScalarT, ShapeLike
from numpy._typing import (
    ArrayLike, DTypeLike, _ArrayLike, _ArrayLikeBool_co, _ArrayLikeComplex_co, _ArrayLikeFloat_co, _ArrayLikeInt_co,
    _ArrayLikeNumber_co, _ArrayLikeObject_co, _ArrayLikeTD64_co, _ArrayLikeUInt_co, _NestedSequence)
from typing import Any, Literal, NamedTuple, Never, SupportsIndex, SupportsInt, TypeAlias, overload
from typing_extensions import TypeVar

import numpy as np

class _EigResult(NamedTuple):
    eigenvalues: LazyArray
    eigenvectors: LazyArray
class _EighResult(NamedTuple):
    eigenvalues: LazyArray
    eigenvectors: LazyArray
_NumberT = TypeVar('_NumberT', bound=np.number)
class _NoValueType:
    ...
_ModeKind: TypeAlias = Literal['reduced', 'complete', 'r', 'raw']
class _QRResult(NamedTuple):
    Q: LazyArray
    R: LazyArray
class _SlogdetResult(NamedTuple):
    sign: LazyArray
    logabsdet: LazyArray
class _SVDResult(NamedTuple):
    U: LazyArray
    S: LazyArray
    Vh: LazyArray

@overload
def cholesky(a: _ArrayLikeInt_co, /, *, upper: bool = False) -> LazyArray[np.float64]: ...
@overload
def cholesky(a: _ArrayLikeFloat_co, /, *, upper: bool = False) -> LazyArray[np.floating]: ...
@overload
def cholesky(a: _ArrayLikeComplex_co, /, *, upper: bool = False) -> LazyArray[np.complexfloating]: ...

def cond(x: _ArrayLikeComplex_co, p: float | Literal['fro', 'nuc'] | None = None) -> LazyArray: ...

@overload
def cross(x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, *, axis: int = -1) -> LazyArray[np.unsignedinteger]: ...
@overload
def cross(x1: _ArrayLikeInt_co, x2: _ArrayLikeInt_co, /, *, axis: int = -1) -> LazyArray[np.signedinteger]: ...
@overload
def cross(x1: _ArrayLikeFloat_co, x2: _ArrayLikeFloat_co, /, *, axis: int = -1) -> LazyArray[np.floating]: ...
@overload
def cross(
    x1: _ArrayLikeComplex_co, x2: _ArrayLikeComplex_co, /, *, axis: int = -1
) -> LazyArray[np.complexfloating]: ...

def det(a: _ArrayLikeComplex_co) -> LazyArray: ...

def diagonal(x: ArrayLike, /, *, offset: SupportsIndex = 0) -> LazyArray: ...

@overload
def eig(a: _ArrayLikeInt_co) -> _EigResult: ...
@overload
def eig(a: _ArrayLikeFloat_co) -> _EigResult: ...
@overload
def eig(a: _ArrayLikeComplex_co) -> _EigResult: ...

@overload
def eigh(a: _ArrayLikeInt_co, UPLO: Literal['L', 'U', 'l', 'u'] = 'L') -> _EighResult: ...
@overload
def eigh(a: _ArrayLikeFloat_co, UPLO: Literal['L', 'U', 'l', 'u'] = 'L') -> _EighResult: ...
@overload
def eigh(a: _ArrayLikeComplex_co, UPLO: Literal['L', 'U', 'l', 'u'] = 'L') -> _EighResult: ...

@overload
def eigvals(a: _ArrayLikeInt_co) -> LazyArray[np.float64] | LazyArray[np.complex128]: ...
@overload
def eigvals(a: _ArrayLikeFloat_co) -> LazyArray[np.floating] | LazyArray[np.complexfloating]: ...
@overload
def eigvals(a: _ArrayLikeComplex_co) -> LazyArray[np.complexfloating]: ...

@overload
def eigvalsh(a: _ArrayLikeInt_co, UPLO: Literal['L', 'U', 'l', 'u'] = 'L') -> LazyArray[np.float64]: ...
@overload
def eigvalsh(a: _ArrayLikeComplex_co, UPLO: Literal['L', 'U', 'l', 'u'] = 'L') -> LazyArray[np.floating]: ...

@overload
def inv(a: _ArrayLikeInt_co) -> LazyArray[np.float64]: ...
@overload
def inv(a: _ArrayLikeFloat_co) -> LazyArray[np.floating]: ...
@overload
def inv(a: _ArrayLikeComplex_co) -> LazyArray[np.complexfloating]: ...

@overload
def lstsq(
    a: _ArrayLikeInt_co, b: _ArrayLikeInt_co, rcond: float | None = None
) -> tuple[LazyArray[np.float64], LazyArray[np.float64], LazyArray[np.int32], LazyArray[np.float64]]: ...
@overload
def lstsq(
    a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co, rcond: float | None = None
) -> tuple[LazyArray[np.floating], LazyArray[np.floating], LazyArray[np.int32], LazyArray[np.floating]]: ...
@overload
def lstsq(
    a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co, rcond: float | None = None
) -> tuple[LazyArray[np.complexfloating], LazyArray[np.floating], LazyArray[np.int32], LazyArray[np.floating]]: ...

@overload
def matmul(x1: _ArrayLike[_NumberT], x2: _ArrayLike[_NumberT], /) -> LazyArray[_NumberT]: ...
@overload
def matmul(x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /) -> LazyArray[np.unsignedinteger]: ...
@overload
def matmul(x1: _ArrayLikeInt_co, x2: _ArrayLikeInt_co, /) -> LazyArray[np.signedinteger]: ...
@overload
def matmul(x1: _ArrayLikeFloat_co, x2: _ArrayLikeFloat_co, /) -> LazyArray[np.floating]: ...
@overload
def matmul(x1: _ArrayLikeComplex_co, x2: _ArrayLikeComplex_co, /) -> LazyArray[np.complexfloating]: ...

def matrix_norm(
    x: ArrayLike, /, *, ord: float | Literal['fro', 'nuc'] | None = 'fro', keepdims: bool = False
) -> LazyArray[np.floating]: ...

def matrix_power(a: _ArrayLikeComplex_co | _ArrayLikeObject_co, n: SupportsIndex) -> LazyArray: ...

def matrix_rank(
    A: _ArrayLikeComplex_co, tol: _ArrayLikeFloat_co | None = None, hermitian: bool = False, *,
    rtol: _ArrayLikeFloat_co | None = None
) -> LazyArray: ...

@overload
def matrix_transpose(x: _ArrayLike[ScalarT], /) -> LazyArray[ScalarT]: ...
@overload
def matrix_transpose(x: ArrayLike, /) -> LazyArray: ...

def multi_dot(
    arrays: Iterable[_ArrayLikeComplex_co | _ArrayLikeObject_co | _ArrayLikeTD64_co], *, out: Array[Any] | None = None
) -> LazyArray: ...

@overload
def norm(
    x: ArrayLike, ord: float | Literal['fro', 'nuc'] | None = None, axis: SupportsInt | SupportsIndex | tuple[int,
    ...] | None = None, keepdims: bool = False
) -> LazyArray[np.floating]: ...
@overload
def norm(
    x: ArrayLike, ord: float | Literal['fro', 'nuc'] | None, axis: SupportsInt | SupportsIndex | tuple[int,
    ...] | None, keepdims: bool = False
) -> LazyArray: ...
@overload
def norm(
    x: ArrayLike, ord: float | Literal['fro', 'nuc'] | None = None, *, axis: SupportsInt | SupportsIndex | tuple[int,
    ...] | None, keepdims: bool = False
) -> LazyArray: ...

@overload
def outer(x1: _ArrayLike[Never], x2: _ArrayLike[Never], /) -> LazyArray: ...
@overload
def outer(x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /) -> LazyArray[np.bool]: ...
@overload
def outer(x1: _ArrayLike[_NumberT], x2: _ArrayLike[_NumberT], /) -> LazyArray[_NumberT]: ...
@overload
def outer(x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /) -> LazyArray[np.unsignedinteger]: ...
@overload
def outer(x1: _ArrayLikeInt_co, x2: _ArrayLikeInt_co, /) -> LazyArray[np.signedinteger]: ...
@overload
def outer(x1: _ArrayLikeFloat_co, x2: _ArrayLikeFloat_co, /) -> LazyArray[np.floating]: ...
@overload
def outer(x1: _ArrayLikeComplex_co, x2: _ArrayLikeComplex_co, /) -> LazyArray[np.complexfloating]: ...
@overload
def outer(x1: _ArrayLikeTD64_co, x2: _ArrayLikeTD64_co, /) -> LazyArray[np.timedelta64]: ...
@overload
def outer(x1: _ArrayLikeObject_co, x2: _ArrayLikeObject_co, /) -> LazyArray[np.object_]: ...
@overload
def outer(
    x1: _ArrayLikeComplex_co | _ArrayLikeTD64_co | _ArrayLikeObject_co,
    x2: _ArrayLikeComplex_co | _ArrayLikeTD64_co | _ArrayLikeObject_co, /
) -> LazyArray: ...

@overload
def pinv(
    a: _ArrayLikeInt_co, rcond: _ArrayLikeFloat_co | None = None, hermitian: bool = False, *,
    rtol: _ArrayLikeFloat_co | _NoValueType = ...
) -> LazyArray[np.float64]: ...
@overload
def pinv(
    a: _ArrayLikeFloat_co, rcond: _ArrayLikeFloat_co | None = None, hermitian: bool = False, *,
    rtol: _ArrayLikeFloat_co | _NoValueType = ...
) -> LazyArray[np.floating]: ...
@overload
def pinv(
    a: _ArrayLikeComplex_co, rcond: _ArrayLikeFloat_co | None = None, hermitian: bool = False, *,
    rtol: _ArrayLikeFloat_co | _NoValueType = ...
) -> LazyArray[np.complexfloating]: ...

@overload
def qr(a: _ArrayLikeInt_co, mode: _ModeKind = 'reduced') -> _QRResult: ...
@overload
def qr(a: _ArrayLikeFloat_co, mode: _ModeKind = 'reduced') -> _QRResult: ...
@overload
def qr(a: _ArrayLikeComplex_co, mode: _ModeKind = 'reduced') -> _QRResult: ...

def slogdet(a: _ArrayLikeComplex_co) -> _SlogdetResult: ...

@overload
def solve(a: _ArrayLikeInt_co, b: _ArrayLikeInt_co) -> LazyArray[np.float64]: ...
@overload
def solve(a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co) -> LazyArray[np.floating]: ...
@overload
def solve(a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co) -> LazyArray[np.complexfloating]: ...

@overload
def svd(
    a: _ArrayLikeInt_co, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False
) -> _SVDResult: ...
@overload
def svd(
    a: _ArrayLikeFloat_co, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False
) -> _SVDResult: ...
@overload
def svd(
    a: _ArrayLikeComplex_co, full_matrices: bool = True, compute_uv: Literal[True] = True, hermitian: bool = False
) -> _SVDResult: ...
@overload
def svd(
    a: _ArrayLikeInt_co, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> LazyArray[np.float64]: ...
@overload
def svd(
    a: _ArrayLikeInt_co, full_matrices: bool, compute_uv: Literal[False], hermitian: bool = False
) -> LazyArray[np.float64]: ...
@overload
def svd(
    a: _ArrayLikeComplex_co, full_matrices: bool = True, *, compute_uv: Literal[False], hermitian: bool = False
) -> LazyArray[np.floating]: ...
@overload
def svd(
    a: _ArrayLikeComplex_co, full_matrices: bool, compute_uv: Literal[False], hermitian: bool = False
) -> LazyArray[np.floating]: ...

@overload
def svdvals(
    x: _ArrayLike[np.float64 | np.complex128 | np.integer | np.bool] | _NestedSequence[complex], /
) -> LazyArray[np.float64]: ...
@overload
def svdvals(x: _ArrayLike[np.float32 | np.complex64], /) -> LazyArray[np.float32]: ...
@overload
def svdvals(x: _ArrayLikeNumber_co, /) -> LazyArray[np.floating]: ...

@overload
def tensordot(
    x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, *, axes: int | tuple[ShapeLike, ShapeLike] = 2
) -> LazyArray[SameNumberT]: ...
@overload
def tensordot(x1: Operand, x2: Operand, /, *, axes: int | tuple[ShapeLike, ShapeLike] = 2) -> LazyArray: ...

@overload
def tensorinv(a: _ArrayLikeInt_co, ind: int = 2) -> LazyArray[np.float64]: ...
@overload
def tensorinv(a: _ArrayLikeFloat_co, ind: int = 2) -> LazyArray[np.floating]: ...
@overload
def tensorinv(a: _ArrayLikeComplex_co, ind: int = 2) -> LazyArray[np.complexfloating]: ...

@overload
def tensorsolve(
    a: _ArrayLikeInt_co, b: _ArrayLikeInt_co, axes: Iterable[int] | None = None
) -> LazyArray[np.float64]: ...
@overload
def tensorsolve(
    a: _ArrayLikeFloat_co, b: _ArrayLikeFloat_co, axes: Iterable[int] | None = None
) -> LazyArray[np.floating]: ...
@overload
def tensorsolve(
    a: _ArrayLikeComplex_co, b: _ArrayLikeComplex_co, axes: Iterable[int] | None = None
) -> LazyArray[np.complexfloating]: ...

def trace(x: ArrayLike, /, *, offset: SupportsIndex = 0, dtype: DTypeLike | None = None) -> LazyArray: ...

@overload
def vecdot(
    x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, *, axis: SupportsIndex = -1
) -> LazyArray[SameNumberT]: ...
@overload
def vecdot(x1: Operand, x2: Operand, /, *, axis: SupportsIndex = -1) -> LazyArray: ...

@overload
def vector_norm(
    x: ArrayLike, /, *, axis: SupportsInt | SupportsIndex | tuple[int, ...] | None = None, ord: float | None = 2,
    keepdims: bool = False
) -> LazyArray[np.floating]: ...
@overload
def vector_norm(
    x: ArrayLike, /, *, axis: SupportsInt | SupportsIndex | tuple[int, ...] | None, ord: float | None = 2,
    keepdims: bool = False
) -> LazyArray: ...

from numpy.linalg import LinAlgError as LinAlgError
