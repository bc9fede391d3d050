# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Sequence
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, ScalarT, ShapeLike
from numpy._typing import ArrayLike, _ArrayLike, _ArrayLikeComplex_co, _ArrayLikeFloat_co, _ArrayLikeNumber_co
from typing import Any, Literal, overload

import numpy as np


@overload
def fft(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], n: int | None = None, axis: int = -1, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def fft(
    a: _ArrayLikeNumber_co, n: int | None = None, axis: int = -1, norm: Literal[None, 'backward', 'ortho',
    'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def fft2(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def fft2(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def fftfreq(n: int | np.integer, d: _ArrayLikeFloat_co = 1.0, device: str | None = None) -> LazyArray[np.floating]: ...
@overload
def fftfreq(
    n: int | np.integer, d: _ArrayLikeComplex_co = 1.0, device: str | None = None
) -> LazyArray[np.complexfloating]: ...

@overload
def fftn(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def fftn(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def fftshift(x: _ArrayLike[ScalarT], axes: ShapeLike | None = None) -> LazyArray[ScalarT]: ...
@overload
def fftshift(x: ArrayLike, axes: ShapeLike | None = None) -> LazyArray: ...

@overload
def hfft(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], n: int | None = None, axis: int = -1, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.float32]: ...
@overload
def hfft(
    a: _ArrayLikeNumber_co, n: int | None = None, axis: int = -1, norm: Literal[None, 'backward', 'ortho',
    'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.float64]: ...

@overload
def ifft(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], n: int | None = None, axis: int = -1, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def ifft(
    a: _ArrayLikeNumber_co, n: int | None = None, axis: int = -1, norm: Literal[None, 'backward', 'ortho',
    'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def ifft2(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def ifft2(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def ifftn(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def ifftn(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def ifftshift(x: _ArrayLike[ScalarT], axes: ShapeLike | None = None) -> LazyArray[ScalarT]: ...
@overload
def ifftshift(x: ArrayLike, axes: ShapeLike | None = None) -> LazyArray: ...

@overload
def ihfft(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], n: int | None = None, axis: int = -1, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def ihfft(
    a: _ArrayLikeNumber_co, n: int | None = None, axis: int = -1, norm: Literal[None, 'backward', 'ortho',
    'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def irfft(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], n: int | None = None, axis: int = -1, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.float32]: ...
@overload
def irfft(
    a: _ArrayLikeNumber_co, n: int | None = None, axis: int = -1, norm: Literal[None, 'backward', 'ortho',
    'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.float64]: ...

@overload
def irfft2(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.float32]: ...
@overload
def irfft2(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.float64]: ...

@overload
def irfftn(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.float32]: ...
@overload
def irfftn(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.float64]: ...

@overload
def rfft(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], n: int | None = None, axis: int = -1, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def rfft(
    a: _ArrayLikeNumber_co, n: int | None = None, axis: int = -1, norm: Literal[None, 'backward', 'ortho',
    'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def rfft2(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def rfft2(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

@overload
def rfftfreq(n: int | np.integer, d: _ArrayLikeFloat_co = 1.0, device: str | None = None) -> LazyArray[np.floating]: ...
@overload
def rfftfreq(
    n: int | np.integer, d: _ArrayLikeComplex_co = 1.0, device: str | None = None
) -> LazyArray[np.complexfloating]: ...

@overload
def rfftn(
    a: _ArrayLike[np.float16 | np.float32 | np.complex64], s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None, norm: Literal[None, 'backward', 'ortho', 'forward'] = None,
    out: Array[Any] | None = None
) -> LazyArray[np.complex64]: ...
@overload
def rfftn(
    a: _ArrayLikeNumber_co, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Literal[None,
    'backward', 'ortho', 'forward'] = None, out: Array[Any] | None = None
) -> LazyArray[np.complex128]: ...

