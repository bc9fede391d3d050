# Written by `python tests/generate_stubs.py` with NumPy 2.4.6: do not edit.
# mypy: disable-error-code="overload-overlap, overload-cannot-match, misc, override"
# ruff: noqa
from collections.abc import Iterable
from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Array, ScalarT
from numpy._typing import ArrayLike, _16Bit, _32Bit, _64Bit, _ArrayLike, _NestedSequence, _ScalarLike_co, _SupportsArray
from typing import Any, Container, Protocol, TypeAlias, overload
from typing_extensions import TypeVar

import numpy as np

_ScalarT_co = TypeVar('_ScalarT_co', bound=np.generic, covariant=True)
class _HasDType(Protocol[_ScalarT_co]):

    @property
    def dtype(self, /) -> np.dtype[_ScalarT_co]:
        ...
_FloatMax32: TypeAlias = np.float32 | np.float16
_RealMax64: TypeAlias = np.float64 | np.float32 | np.float16 | np.integer
_Real: TypeAlias = np.floating | np.integer
_InexactMax32: TypeAlias = np.inexact[_32Bit] | np.float16
_NumberMax64: TypeAlias = np.number[_64Bit] | np.number[_32Bit] | np.number[_16Bit] | np.integer
_ComplexMax128: TypeAlias = np.complex128 | np.complex64
_T_co = TypeVar('_T_co', covariant=True)
class _HasImag(Protocol[_T_co]):

    @property
    def imag(self, /) -> _T_co:
        ...
_T = TypeVar('_T')
_RealT = TypeVar('_RealT', bound=np.floating | np.integer | np.bool)
class _HasReal(Protocol[_T_co]):

    @property
    def real(self, /) -> _T_co:
        ...

@overload
def common_type() -> type[np.float16]: ...
@overload
def common_type(a0: _HasDType[np.float16], /, *ai: _HasDType[np.float16]) -> type[np.float16]: ...
@overload
def common_type(a0: _HasDType[np.float32], /, *ai: _HasDType[_FloatMax32]) -> type[np.float32]: ...
@overload
def common_type(a0: _HasDType[np.float64 | np.integer], /, *ai: _HasDType[_RealMax64]) -> type[np.float64]: ...
@overload
def common_type(a0: _HasDType[np.longdouble], /, *ai: _HasDType[_Real]) -> type[np.longdouble]: ...
@overload
def common_type(a0: _HasDType[np.complex64], /, *ai: _HasDType[_InexactMax32]) -> type[np.complex64]: ...
@overload
def common_type(a0: _HasDType[np.complex128], /, *ai: _HasDType[_NumberMax64]) -> type[np.complex128]: ...
@overload
def common_type(a0: _HasDType[np.clongdouble], /, *ai: _HasDType[np.number]) -> type[np.clongdouble]: ...
@overload
def common_type(
    a0: _HasDType[_FloatMax32], array1: _HasDType[np.float32], /, *ai: _HasDType[_FloatMax32]
) -> type[np.float32]: ...
@overload
def common_type(
    a0: _HasDType[_RealMax64], array1: _HasDType[np.float64 | np.integer], /, *ai: _HasDType[_RealMax64]
) -> type[np.float64]: ...
@overload
def common_type(
    a0: _HasDType[_Real], array1: _HasDType[np.longdouble], /, *ai: _HasDType[_Real]
) -> type[np.longdouble]: ...
@overload
def common_type(
    a0: _HasDType[_InexactMax32], array1: _HasDType[np.complex64], /, *ai: _HasDType[_InexactMax32]
) -> type[np.complex64]: ...
@overload
def common_type(
    a0: _HasDType[np.float64], array1: _HasDType[_ComplexMax128], /, *ai: _HasDType[_NumberMax64]
) -> type[np.complex128]: ...
@overload
def common_type(
    a0: _HasDType[_ComplexMax128], array1: _HasDType[np.float64], /, *ai: _HasDType[_NumberMax64]
) -> type[np.complex128]: ...
@overload
def common_type(
    a0: _HasDType[_NumberMax64], array1: _HasDType[np.complex128], /, *ai: _HasDType[_NumberMax64]
) -> type[np.complex128]: ...
@overload
def common_type(
    a0: _HasDType[_ComplexMax128], array1: _HasDType[np.complex128 | np.integer], /, *ai: _HasDType[_NumberMax64]
) -> type[np.complex128]: ...
@overload
def common_type(
    a0: _HasDType[np.complex128 | np.integer], array1: _HasDType[_ComplexMax128], /, *ai: _HasDType[_NumberMax64]
) -> type[np.complex128]: ...
@overload
def common_type(a0: _HasDType[_Real], /, *ai: _HasDType[_Real]) -> type[np.floating]: ...
@overload
def common_type(
    a0: _HasDType[np.number], array1: _HasDType[np.clongdouble], /, *ai: _HasDType[np.number]
) -> type[np.clongdouble]: ...
@overload
def common_type(
    a0: _HasDType[np.longdouble], array1: _HasDType[np.complexfloating], /, *ai: _HasDType[np.number]
) -> type[np.clongdouble]: ...
@overload
def common_type(
    a0: _HasDType[np.complexfloating], array1: _HasDType[np.longdouble], /, *ai: _HasDType[np.number]
) -> type[np.clongdouble]: ...
@overload
def common_type(
    a0: _HasDType[np.complexfloating], array1: _HasDType[np.number], /, *ai: _HasDType[np.number]
) -> type[np.complexfloating]: ...
@overload
def common_type(
    a0: _HasDType[np.number], array1: _HasDType[np.complexfloating], /, *ai: _HasDType[np.number]
) -> type[np.complexfloating]: ...
@overload
def common_type(a0: _HasDType[np.number], array1: _HasDType[np.number], /, *ai: _HasDType[np.number]) -> type[Any]: ...

@overload
def imag(val: _HasImag[_T]) -> _T: ...
@overload
def imag(val: _ArrayLike[_RealT]) -> LazyArray[_RealT]: ...
@overload
def imag(val: ArrayLike) -> LazyArray: ...

@overload
def iscomplex(x: _ScalarLike_co) -> LazyArray[np.bool]: ...
@overload
def iscomplex(x: Array[Any] | _NestedSequence[ArrayLike]) -> LazyArray[np.bool]: ...
@overload
def iscomplex(x: ArrayLike) -> LazyArray[np.bool]: ...

def iscomplexobj(x: _HasDType[Any] | ArrayLike) -> bool: ...

@overload
def isreal(x: _ScalarLike_co) -> LazyArray[np.bool]: ...
@overload
def isreal(x: Array[Any] | _NestedSequence[ArrayLike]) -> LazyArray[np.bool]: ...
@overload
def isreal(x: ArrayLike) -> LazyArray[np.bool]: ...

def isrealobj(x: _HasDType[Any] | ArrayLike) -> bool: ...

def mintypecode(
    typechars: Iterable[str | ArrayLike], typeset: str | Container[str] = 'GDFgdf', default: str = 'd'
) -> str: ...

@overload
def nan_to_num(
    x: ScalarT, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> LazyArray[ScalarT]: ...
@overload
def nan_to_num(
    x: Array[ScalarT] | _NestedSequence[_ArrayLike[ScalarT]], copy: bool = True, nan: float = 0.0,
    posinf: float | None = None, neginf: float | None = None
) -> LazyArray[ScalarT]: ...
@overload
def nan_to_num(
    x: _SupportsArray[np.dtype[ScalarT]], copy: bool = True, nan: float = 0.0, posinf: float | None = None,
    neginf: float | None = None
) -> LazyArray[ScalarT]: ...
@overload
def nan_to_num(
    x: _NestedSequence[ArrayLike], copy: bool = True, nan: float = 0.0, posinf: float | None = None,
    neginf: float | None = None
) -> LazyArray: ...
@overload
def nan_to_num(
    x: ArrayLike, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> LazyArray: ...

@overload
def real(val: _HasReal[_T]) -> _T: ...
@overload
def real(val: _ArrayLike[_RealT]) -> LazyArray[_RealT]: ...
@overload
def real(val: ArrayLike) -> LazyArray: ...

@overload
def real_if_close(a: _ArrayLike[np.complex64], tol: float = 100) -> LazyArray[np.float32 | np.complex64]: ...
@overload
def real_if_close(a: _ArrayLike[np.complex128], tol: float = 100) -> LazyArray[np.float64 | np.complex128]: ...
@overload
def real_if_close(a: _ArrayLike[np.clongdouble], tol: float = 100) -> LazyArray[np.longdouble | np.clongdouble]: ...
@overload
def real_if_close(a: _ArrayLike[_RealT], tol: float = 100) -> LazyArray[_RealT]: ...
@overload
def real_if_close(a: ArrayLike, tol: float = 100) -> LazyArray: ...
