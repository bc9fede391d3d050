# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import ScalarT
from numpy._typing import ArrayLike, _ArrayLike, _ArrayLikeBool_co, _ArrayLikeNumber_co
from typing import Any, Generic, Literal, NamedTuple, SupportsIndex, overload
from typing_extensions import TypeVar

import numpy as np

_NumericT = TypeVar('_NumericT', bound=np.number | np.timedelta64 | np.object_)
_EitherSCT = TypeVar('_EitherSCT', np.bool, np.int8, np.int16, np.int32, np.int64, np.intp, np.uint8, np.uint16, np.uint32, np.uint64, np.uintp, np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.clongdouble, np.timedelta64, np.datetime64, np.bytes_, np.str_, np.void, np.object_, np.integer, np.floating, np.complexfloating, np.character)
class UniqueAllResult(NamedTuple, Generic[ScalarT]):
    values: LazyArray[ScalarT]
    indices: LazyArray[np.intp]
    inverse_indices: LazyArray[np.intp]
    counts: LazyArray[np.intp]
class UniqueCountsResult(NamedTuple, Generic[ScalarT]):
    values: LazyArray[ScalarT]
    counts: LazyArray[np.intp]
class UniqueInverseResult(NamedTuple, Generic[ScalarT]):
    values: LazyArray[ScalarT]
    inverse_indices: LazyArray[np.intp]

@overload
def ediff1d(
    ary: _ArrayLikeBool_co, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> LazyArray[np.int8]: ...
@overload
def ediff1d(
    ary: _ArrayLike[_NumericT], to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> LazyArray[_NumericT]: ...
@overload
def ediff1d(
    ary: _ArrayLike[np.datetime64[Any]], to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> LazyArray[np.timedelta64]: ...
@overload
def ediff1d(
    ary: _ArrayLikeNumber_co, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> LazyArray: ...

@overload
def intersect1d(
    ar1: _ArrayLike[_EitherSCT], ar2: _ArrayLike[_EitherSCT], assume_unique: bool = False,
    return_indices: Literal[False] = False
) -> LazyArray[_EitherSCT]: ...
@overload
def intersect1d(
    ar1: _ArrayLike[_EitherSCT], ar2: _ArrayLike[_EitherSCT], assume_unique: bool, return_indices: Literal[True]
) -> tuple[LazyArray[_EitherSCT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def intersect1d(
    ar1: _ArrayLike[_EitherSCT], ar2: _ArrayLike[_EitherSCT], assume_unique: bool = False, *,
    return_indices: Literal[True]
) -> tuple[LazyArray[_EitherSCT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, return_indices: Literal[False] = False
) -> LazyArray: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool, return_indices: Literal[True]
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False, *, return_indices: Literal[True]
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...

def isin(
    element: ArrayLike, test_elements: ArrayLike, assume_unique: bool = False, invert: bool = False, *,
    kind: Literal['sort', 'table'] | None = None
) -> LazyArray[np.bool]: ...

@overload
def setdiff1d(
    ar1: _ArrayLike[_EitherSCT], ar2: _ArrayLike[_EitherSCT], assume_unique: bool = False
) -> LazyArray[_EitherSCT]: ...
@overload
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> LazyArray: ...

@overload
def setxor1d(
    ar1: _ArrayLike[_EitherSCT], ar2: _ArrayLike[_EitherSCT], assume_unique: bool = False
) -> LazyArray[_EitherSCT]: ...
@overload
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> LazyArray: ...

@overload
def union1d(ar1: _ArrayLike[_EitherSCT], ar2: _ArrayLike[_EitherSCT]) -> LazyArray[_EitherSCT]: ...
@overload
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> LazyArray: ...

@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False] = False, return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, *, equal_nan: bool = True,
    sorted: bool = True
) -> LazyArray[ScalarT]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False] = False, return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, *, equal_nan: bool = True,
    sorted: bool = True
) -> LazyArray: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[True], return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, *, equal_nan: bool = True,
    sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[True], return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, *, equal_nan: bool = True,
    sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False], return_inverse: Literal[True],
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, *, equal_nan: bool = True,
    sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False] = False, *, return_inverse: Literal[True],
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, equal_nan: bool = True,
    sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False], return_inverse: Literal[True], return_counts: Literal[False] = False,
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False] = False, *, return_inverse: Literal[True],
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, equal_nan: bool = True,
    sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False], return_inverse: Literal[False],
    return_counts: Literal[True], axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False] = False, return_inverse: Literal[False] = False, *,
    return_counts: Literal[True], axis: SupportsIndex | None = None, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False], return_inverse: Literal[False], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False] = False, return_inverse: Literal[False] = False, *,
    return_counts: Literal[True], axis: SupportsIndex | None = None, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[True], return_inverse: Literal[True],
    return_counts: Literal[False] = False, axis: SupportsIndex | None = None, *, equal_nan: bool = True,
    sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[True], return_inverse: Literal[True], return_counts: Literal[False] = False,
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[True], return_inverse: Literal[False], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[True], return_inverse: Literal[False] = False, *,
    return_counts: Literal[True], axis: SupportsIndex | None = None, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[True], return_inverse: Literal[False], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[True], return_inverse: Literal[False] = False, *,
    return_counts: Literal[True], axis: SupportsIndex | None = None, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False], return_inverse: Literal[True], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[False] = False, *, return_inverse: Literal[True],
    return_counts: Literal[True], axis: SupportsIndex | None = None, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False], return_inverse: Literal[True], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[False] = False, *, return_inverse: Literal[True],
    return_counts: Literal[True], axis: SupportsIndex | None = None, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: _ArrayLike[ScalarT], return_index: Literal[True], return_inverse: Literal[True], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray[ScalarT], LazyArray[np.intp], LazyArray[np.intp], LazyArray[np.intp]]: ...
@overload
def unique(
    ar: ArrayLike, return_index: Literal[True], return_inverse: Literal[True], return_counts: Literal[True],
    axis: SupportsIndex | None = None, *, equal_nan: bool = True, sorted: bool = True
) -> tuple[LazyArray, LazyArray[np.intp], LazyArray[np.intp], LazyArray[np.intp]]: ...

@overload
def unique_all(x: _ArrayLike[ScalarT]) -> UniqueAllResult[ScalarT]: ...
@overload
def unique_all(x: ArrayLike) -> UniqueAllResult[Any]: ...

@overload
def unique_counts(x: _ArrayLike[ScalarT]) -> UniqueCountsResult[ScalarT]: ...
@overload
def unique_counts(x: ArrayLike) -> UniqueCountsResult[Any]: ...

@overload
def unique_inverse(x: _ArrayLike[ScalarT]) -> UniqueInverseResult[ScalarT]: ...
@overload
def unique_inverse(x: ArrayLike) -> UniqueInverseResult[Any]: ...

@overload
def unique_values(x: _ArrayLike[ScalarT]) -> LazyArray[ScalarT]: ...
@overload
def unique_values(x: ArrayLike) -> LazyArray: ...
