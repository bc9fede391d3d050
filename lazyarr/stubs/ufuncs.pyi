# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from typing import Any, Never, SupportsIndex, TypeAlias, Unpack, overload
import numpy as np
from numpy._typing import (
    _ArrayLike, _ArrayLikeBool_co, _ArrayLikeComplex128_co, _ArrayLikeComplex_co, _ArrayLikeFloat64_co,
    _ArrayLikeFloat_co, _ArrayLikeInt_co, _ArrayLikeUInt_co, _DTypeLike)
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import (
    Array, Axis, Casting, ComplexT, DType, FloatingT, GufuncOptions, InexactT, IntegerT, NumberT, Numeric, Operand,
    Out, OutT, SameFloatingT, SameInexactT, SameIntegerT, SameNumberT, ScalarT, UfuncOptions)

# The attributes and methods of ufuncs; those of two operands reduce.
class Ufunc:
    @property
    def __name__(self) -> str: ...
    @property
    def __qualname__(self) -> str: ...
    @property
    def ufunc(self) -> np.ufunc: ...
    @property
    def waits(self) -> bool: ...
    @property
    def nin(self) -> int: ...
    @property
    def nout(self) -> int: ...
    @property
    def nargs(self) -> int: ...
    @property
    def ntypes(self) -> int: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def identity(self) -> Any: ...
    @property
    def signature(self) -> str | None: ...
    def resolve_dtypes(
        self, dtypes: tuple[np.dtype[Any] | type[Any] | None, ...], *, signature: Any = None,
        casting: Casting | None = None, reduction: bool = False
    ) -> tuple[np.dtype[Any], ...]: ...
    def at(self, a: Array[Any], indices: Any, b: Operand = ..., /) -> None: ...

class BinaryUfunc(Ufunc):
    @overload
    def reduce(
        self, array: Operand, axis: Axis = 0, *, dtype: _DTypeLike[ScalarT], out: None = None, keepdims: bool = False,
        initial: Operand = ..., where: Operand = True
    ) -> LazyArray[ScalarT]: ...
    @overload
    def reduce(
        self, array: Operand, axis: Axis = 0, dtype: DType = None, out: Out = None, keepdims: bool = False,
        initial: Operand = ..., where: Operand = True
    ) -> LazyArray: ...
    def accumulate(
        self, array: Operand, axis: SupportsIndex = 0, dtype: DType = None, out: Out = None) -> LazyArray: ...
    def reduceat(
        self, array: Operand, indices: _ArrayLikeInt_co, axis: SupportsIndex = 0, dtype: DType = None, out: Out = None
    ) -> LazyArray: ...
    def outer(self, a: Operand, b: Operand, /, **kwargs: Any) -> LazyArray: ...

# A ufunc of a Python function.
class AnyUfunc(BinaryUfunc):
    def __call__(self, *args: Any, **kwargs: Any) -> LazyArray: ...

_Numbers: TypeAlias = _ArrayLikeComplex_co | _ArrayLike[np.object_ | np.timedelta64]

class Predicate(Ufunc):
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...

class Absolute(Ufunc):
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.complex128], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.complex64], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float32]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.complexfloating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.timedelta64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Rounding(Ufunc):
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[IntegerT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class BitwiseNot(Ufunc):
    @overload
    def __call__(
        self, x: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[IntegerT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x: int, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class BitCount(Ufunc):
    @overload
    def __call__(
        self, x: int, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uint8]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uint8]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Squaring(Ufunc):
    @overload
    def __call__(
        self, x: int, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: complex, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.int8]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Sign(Ufunc):
    @overload
    def __call__(
        self, x: int, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: complex, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.timedelta64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class FloatFunction(Ufunc):
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: complex, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[InexactT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class RealFunction(Ufunc):
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT], **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class TimePredicate(Ufunc):
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x: Operand, /, out: OutT | tuple[OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x: Operand, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...

class Arithmetic(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameNumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[NumberT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[InexactT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[InexactT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: _ArrayLike[np.complex128], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complex128], x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[ComplexT], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[ComplexT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: bool, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: bool, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complexfloating], x2: _ArrayLikeComplex_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex_co, x2: _ArrayLike[np.complexfloating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: complex, /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.timedelta64], x2: _ArrayLike[np.timedelta64], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.timedelta64], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[np.timedelta64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.datetime64], x2: _ArrayLike[np.timedelta64], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.datetime64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.timedelta64], x2: _ArrayLike[np.datetime64], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.datetime64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.datetime64], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.datetime64]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[np.datetime64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.datetime64]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Subtraction(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameNumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[NumberT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[InexactT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[InexactT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: _ArrayLike[np.complex128], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complex128], x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[ComplexT], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[ComplexT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complexfloating], x2: _ArrayLikeComplex_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex_co, x2: _ArrayLike[np.complexfloating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: complex, /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.datetime64], x2: _ArrayLike[np.datetime64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.timedelta64], x2: _ArrayLike[np.timedelta64], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.timedelta64], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[np.timedelta64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.timedelta64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.datetime64], x2: _ArrayLike[np.timedelta64], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.datetime64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.datetime64], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.datetime64]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Power(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameNumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[NumberT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[InexactT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[InexactT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: _ArrayLike[np.complex128], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complex128], x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[ComplexT], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[ComplexT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.int8]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complexfloating], x2: _ArrayLikeComplex_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex_co, x2: _ArrayLike[np.complexfloating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: complex, /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Remainder(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameNumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[NumberT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[NumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[FloatingT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.int8]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Division(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameInexactT], x2: _ArrayLike[SameInexactT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameInexactT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[InexactT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[InexactT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[InexactT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[InexactT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[InexactT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: _ArrayLike[np.complex128], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complex128], x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[ComplexT], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[ComplexT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ComplexT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complexfloating], x2: _ArrayLikeComplex_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex_co, x2: _ArrayLike[np.complexfloating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: complex, /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None,
        *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class FloatPower(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: complex, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: complex, x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class FloatPair(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameFloatingT], x2: _ArrayLike[SameFloatingT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameFloatingT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[FloatingT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[FloatingT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: float, /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32],
        x2: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Scaling(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[FloatingT], x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[FloatingT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: _ArrayLikeInt_co, /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], x2: int, /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Comparison(BinaryUfunc):
    @overload
    def __call__(
        self, x1: Operand, x2: Operand, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: Operand, x2: Operand, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Operand, x2: Operand, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...

class Bitwise(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameIntegerT], x2: _ArrayLike[SameIntegerT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameIntegerT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[IntegerT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[IntegerT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: bool, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: bool, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Shift(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameIntegerT], x2: _ArrayLike[SameIntegerT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameIntegerT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[IntegerT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[IntegerT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.int8]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: _Numbers, x2: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Divisor(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameIntegerT], x2: _ArrayLike[SameIntegerT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[SameIntegerT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[IntegerT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[IntegerT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[IntegerT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[UfuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

class Product(BinaryUfunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[SameNumberT]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.intp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.uintp]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.bool]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.float64]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex128_co, x2: _ArrayLike[np.complex128], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complex128], x2: _ArrayLikeComplex128_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.complex128]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.unsignedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.signedinteger]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.floating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.complexfloating], x2: _ArrayLikeComplex_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeComplex_co, x2: _ArrayLike[np.complexfloating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[np.complexfloating]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: _DTypeLike[ScalarT],
        **options: Unpack[GufuncOptions]
    ) -> LazyArray[ScalarT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: OutT | tuple[OutT], *, dtype: DType = None,
        **options: Unpack[GufuncOptions]
    ) -> OutT: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[GufuncOptions]
    ) -> LazyArray: ...

class DivMod(Ufunc):
    @overload
    def __call__(
        self, x1: _ArrayLike[SameNumberT], x2: _ArrayLike[SameNumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[SameNumberT], LazyArray[SameNumberT]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.intp], x2: _ArrayLike[np.intp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.intp], LazyArray[np.intp]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.uintp], x2: _ArrayLike[np.uintp], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.uintp], LazyArray[np.uintp]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[NumberT], x2: int, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[NumberT], LazyArray[NumberT]]: ...
    @overload
    def __call__(
        self, x1: int, x2: _ArrayLike[NumberT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[NumberT], LazyArray[NumberT]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat64_co, x2: _ArrayLike[np.float64], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.float64], x2: _ArrayLikeFloat64_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[FloatingT], x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[FloatingT], LazyArray[FloatingT]]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[FloatingT], LazyArray[FloatingT]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeBool_co, x2: _ArrayLikeBool_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.int8], LazyArray[np.int8]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeInt_co, x2: float, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
    @overload
    def __call__(
        self, x1: float, x2: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeUInt_co, x2: _ArrayLikeUInt_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.unsignedinteger], LazyArray[np.unsignedinteger]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.bool | np.signedinteger], x2: _ArrayLike[np.bool | np.signedinteger], /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.signedinteger], LazyArray[np.signedinteger]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLike[np.floating], x2: _ArrayLikeFloat_co, /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.floating], LazyArray[np.floating]]: ...
    @overload
    def __call__(
        self, x1: _ArrayLikeFloat_co, x2: _ArrayLike[np.floating], /, out: None = None, *, dtype: None = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.floating], LazyArray[np.floating]]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: tuple[OutT, OutT], *, dtype: DType = None,
        **options: Unpack[UfuncOptions]
    ) -> tuple[OutT, OutT]: ...
    @overload
    def __call__(
        self, x1: Numeric, x2: Numeric, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray, LazyArray]: ...

class Fraction(Ufunc):
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[FloatingT], LazyArray[FloatingT]]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.float64]]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.floating], LazyArray[np.floating]]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: tuple[OutT, OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> tuple[OutT, OutT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray, LazyArray]: ...

class Exponent(Ufunc):
    @overload
    def __call__(
        self, x: float, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[FloatingT], /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[FloatingT], LazyArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: _ArrayLike[np.intp | np.int64 | np.int32 | np.uint64 | np.uint32], /, out: None = None, *,
        dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.float64], LazyArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: _ArrayLikeInt_co, /, out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray[np.floating], LazyArray[np.int32]]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: tuple[OutT, OutT], *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> tuple[OutT, OutT]: ...
    @overload
    def __call__(
        self, x: _Numbers, /, out: None = None, *, dtype: DType = None, **options: Unpack[UfuncOptions]
    ) -> tuple[LazyArray, LazyArray[np.int32]]: ...
