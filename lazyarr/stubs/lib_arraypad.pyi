# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, ScalarT
from numpy._typing import ArrayLike, _ArrayLike, _ArrayLikeInt
from typing import Any, Literal, Protocol, TypeAlias, overload

import numpy as np

_PadWidth: TypeAlias = _ArrayLikeInt | dict[int, int] | dict[int, tuple[int, int]] | dict[int, int | tuple[int, int]]
_ModeKind: TypeAlias = Literal['constant', 'edge', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum', 'reflect', 'symmetric', 'wrap', 'empty']
class _ModeFunc(Protocol):

    def __call__(self, vector: Array[Any], iaxis_pad_width: tuple[int, int], iaxis: int, kwargs: dict[str, Any], /) -> None:
        ...

@overload
def pad(
    array: _ArrayLike[ScalarT], pad_width: _PadWidth, mode: _ModeKind = 'constant', *,
    stat_length: _ArrayLikeInt | None = None, constant_values: ArrayLike = 0, end_values: ArrayLike = 0,
    reflect_type: Literal['odd', 'even'] = 'even'
) -> LazyArray[ScalarT]: ...
@overload
def pad(
    array: ArrayLike, pad_width: _PadWidth, mode: _ModeKind = 'constant', *, stat_length: _ArrayLikeInt | None = None,
    constant_values: ArrayLike = 0, end_values: ArrayLike = 0, reflect_type: Literal['odd', 'even'] = 'even'
) -> LazyArray: ...
@overload
def pad(array: _ArrayLike[ScalarT], pad_width: _PadWidth, mode: _ModeFunc, **kwargs: Any) -> LazyArray[ScalarT]: ...
@overload
def pad(array: ArrayLike, pad_width: _PadWidth, mode: _ModeFunc, **kwargs: Any) -> LazyArray: ...
