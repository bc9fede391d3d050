from collections.abc import Sequence
from datetime import date, timedelta
from types import EllipsisType
from typing import Any, Literal, SupportsIndex, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt
from numpy._typing import _IntPCodes, _NestedSequence, _SupportsArray, _UIntPCodes
from typing_extensions import TypeVar

from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.numpy.flags import Flags as Flags
from lazyarr.runtime.evaluation_future import EvaluationFuture as EvaluationFuture

# An array's scalar type; an array whose dtype is not known is a LazyArray[Any], which `LazyArray` alone means.
ScalarT = TypeVar("ScalarT", bound=np.generic)
Scalar_co = TypeVar("Scalar_co", bound=np.generic, default=Any, covariant=True)
# What a Python number leaves as it is: integers leave all numbers, floats leave these, complex numbers the last.
NumberT = TypeVar("NumberT", bound=np.number)
InexactT = TypeVar("InexactT", bound=np.inexact)
FloatingT = TypeVar("FloatingT", bound=np.floating)
ComplexT = TypeVar("ComplexT", bound=np.complexfloating)
IntegerT = TypeVar("IntegerT", bound=np.integer)
InvertibleT = TypeVar("InvertibleT", bound=np.integer | np.bool)
# One dtype for both operands. A bound would find a common base class for two dtypes.
SameNumberT = TypeVar(
    "SameNumberT", np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32,
    np.uint16, np.uint8, np.complex128, np.complex64, np.float16, np.longdouble, np.clongdouble)
SameInexactT = TypeVar(
    "SameInexactT", np.float64, np.float32, np.complex128, np.complex64, np.float16, np.longdouble, np.clongdouble)
SameFloatingT = TypeVar("SameFloatingT", np.float64, np.float32, np.float16, np.longdouble)
SameIntegerT = TypeVar(
    "SameIntegerT", np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8)
SameScalarT = TypeVar(
    "SameScalarT", np.float64, np.float32, np.bool, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32,
    np.uint16, np.uint8, np.complex128, np.complex64, np.float16, np.longdouble, np.clongdouble, np.str_, np.bytes_,
    np.datetime64, np.timedelta64, np.object_)
# What `out` takes, which the call returns.
OutT = TypeVar("OutT", bound=LazyArray[Any])

Array: TypeAlias = LazyArray[ScalarT] | npt.NDArray[ScalarT]
Operand: TypeAlias = LazyArray[Any] | npt.ArrayLike
# What arithmetic takes: arrays and numbers, no strings.
Numeric: TypeAlias = (
    _SupportsArray[np.dtype[Any]] | _NestedSequence[_SupportsArray[np.dtype[Any]]] | complex | _NestedSequence[complex]
    | date | timedelta)
Shape: TypeAlias = tuple[int, ...]
ShapeLike: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Order: TypeAlias = Literal["C", "F", "A", "K"] | None
Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
Mode: TypeAlias = Literal["raise", "wrap", "clip"]
Axis: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
OneAxis: TypeAlias = SupportsIndex | None
Mask: TypeAlias = Operand | None
Out: TypeAlias = LazyArray[Any] | None
DType: TypeAlias = npt.DTypeLike | None
Fields: TypeAlias = str | Sequence[str] | None
Key: TypeAlias = SupportsIndex | slice | EllipsisType | Operand | tuple[Any, ...] | None

# Names of dtypes as NumPy's stubs sort them, those that only some releases have.
_IntCodes: TypeAlias = _IntPCodes
_UIntCodes: TypeAlias = _UIntPCodes
_SingleCodes: TypeAlias = Literal["single", "f", "|f", "=f", "<f", ">f"]
_DoubleCodes: TypeAlias = Literal["double", "float", "d", "|d", "=d", "<d", ">d"]
_CDoubleCodes: TypeAlias = Literal["cdouble", "complex", "D", "|D", "=D", "<D", ">D"]

class UfuncOptions(TypedDict, total=False):
    where: Operand
    casting: Casting
    order: Order
    subok: bool
    signature: str | tuple[npt.DTypeLike | None, ...]

class GufuncOptions(TypedDict, total=False):
    casting: Casting
    order: Order
    subok: bool
    signature: str | tuple[npt.DTypeLike | None, ...]
    axis: SupportsIndex
    axes: Sequence[SupportsIndex | tuple[SupportsIndex, ...]]
    keepdims: bool
