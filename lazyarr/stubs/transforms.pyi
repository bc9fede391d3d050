# mypy: disable-error-code="overload-overlap"
from collections.abc import Callable, Sequence
from typing import (
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    SupportsIndex,
    TypeAlias,
    TypeVarTuple,
    Unpack,
    overload,
)

import numpy as np
import numpy.typing as npt
from numpy._typing import _ArrayLike, _DTypeLike
from typing_extensions import TypeVar

from lazyarr._core.frontend.lazy_array import LazyArray
from lazyarr.stubs.aliases import Axis, EvaluationFuture, FloatingT, InexactT, Operand, ScalarT, ShapeLike, UfuncOptions
from lazyarr.stubs.ufuncs import Ufunc
from lazyarr.symbolic.symbol import Symbol

_P = ParamSpec("_P")
_Q = ParamSpec("_Q")
_R = TypeVar("_R")
_T = TypeVar("_T")
_S = TypeVar("_S")
_X = TypeVar("_X")  # an argument: an array, or a tree of arrays
_Y = TypeVar("_Y", bound=LazyArray[Any])
_Aux = TypeVar("_Aux")
_Carry = TypeVar("_Carry")
_Function = TypeVar("_Function", bound=Callable[..., Any])
_Ts = TypeVarTuple("_Ts")
_Truth: TypeAlias = LazyArray[np.bool] | bool | np.bool

# ---- jit ----

class Jitted(Generic[_P, _R]):
    __wrapped__: Callable[_P, _R]
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Jitted[_P, _R]: ...
    @overload
    def __get__(
        self: Jitted[Concatenate[_S, _Q], _R], instance: _S, owner: type[Any] | None = None
    ) -> Callable[_Q, _R]: ...
    def explain_miss(self) -> str: ...
    def stats(self) -> dict[str, int]: ...

def jit(f: Callable[_P, _R]) -> Jitted[_P, _R]: ...
def checkpoint(f: Callable[_P, _R]) -> Callable[_P, _R]: ...

# ---- derivatives: a gradient has the type of the argument ----

@overload
def grad(
    f: Callable[Concatenate[_X, _P], LazyArray[Any]], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[_X, _P], _X]: ...
@overload
def grad(
    f: Callable[Concatenate[_X, _P], tuple[LazyArray[Any], _Aux]], argnums: Literal[0] = 0, *, has_aux: Literal[True]
) -> Callable[Concatenate[_X, _P], tuple[_X, _Aux]]: ...
@overload
def grad(
    f: Callable[Concatenate[_T, _X, _P], LazyArray[Any]], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[_T, _X, _P], _X]: ...
@overload
def grad(
    f: Callable[Concatenate[_T, _X, _P], LazyArray[Any]], argnums: tuple[Literal[0], Literal[1]],
    has_aux: Literal[False] = False
) -> Callable[Concatenate[_T, _X, _P], tuple[_T, _X]]: ...
@overload
def grad(f: Callable[_P, Any], argnums: int | Sequence[int], has_aux: bool = False) -> Callable[_P, Any]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[_X, _P], _Y], argnums: Literal[0] = 0, has_aux: Literal[False] = False
) -> Callable[Concatenate[_X, _P], tuple[_Y, _X]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[_X, _P], tuple[_Y, _Aux]], argnums: Literal[0] = 0, *, has_aux: Literal[True]
) -> Callable[Concatenate[_X, _P], tuple[tuple[_Y, _Aux], _X]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[_T, _X, _P], _Y], argnums: Literal[1], has_aux: Literal[False] = False
) -> Callable[Concatenate[_T, _X, _P], tuple[_Y, _X]]: ...
@overload
def value_and_grad(
    f: Callable[Concatenate[_T, _X, _P], _Y], argnums: tuple[Literal[0], Literal[1]], has_aux: Literal[False] = False
) -> Callable[Concatenate[_T, _X, _P], tuple[_Y, tuple[_T, _X]]]: ...
@overload
def value_and_grad(
    f: Callable[_P, _R], argnums: int | Sequence[int], has_aux: bool = False
) -> Callable[_P, tuple[_R, Any]]: ...
def vjp(f: Callable[[*_Ts], _R], *primals: *_Ts) -> tuple[_R, Callable[[_R], tuple[*_Ts]]]: ...
def jvp(f: Callable[[*_Ts], _R], primals: tuple[*_Ts], tangents: tuple[*_Ts]) -> tuple[_R, _R]: ...
def hvp(f: Callable[[*_Ts], LazyArray[Any]], primals: tuple[*_Ts], tangents: tuple[*_Ts]) -> tuple[*_Ts]: ...
@overload
def jacobian(
    f: Callable[Concatenate[LazyArray[ScalarT], _P], LazyArray[Any]], argnums: Literal[0] = 0,
    mode: Literal["reverse", "forward"] = "reverse"
) -> Callable[Concatenate[LazyArray[ScalarT], _P], LazyArray[ScalarT]]: ...
@overload
def jacobian(
    f: Callable[_P, Any], argnums: int | Sequence[int] = 0, mode: Literal["reverse", "forward"] = "reverse"
) -> Callable[_P, Any]: ...
@overload
def hessian(
    f: Callable[Concatenate[LazyArray[ScalarT], _P], LazyArray[Any]], argnums: Literal[0] = 0
) -> Callable[Concatenate[LazyArray[ScalarT], _P], LazyArray[ScalarT]]: ...
@overload
def hessian(f: Callable[_P, Any], argnums: int | Sequence[int] = 0) -> Callable[_P, Any]: ...
def laplacian(f: Callable[_P, _Y]) -> Callable[_P, _Y]: ...
def stop_gradient(x: _T) -> _T: ...
def vmap(f: Callable[_P, _R], in_axes: Any = 0, out_axes: Any = 0) -> Callable[_P, _R]: ...

class custom_vjp(Generic[_P, _R]):
    __wrapped__: Callable[_P, _R]
    def __init__(self, f: Callable[_P, _R]) -> None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    def defvjp(
        self, forward: Callable[_P, tuple[_R, _Aux]], backward: Callable[[_Aux, _R], tuple[Any, ...]]
    ) -> None: ...

class custom_jvp(Generic[_P, _R]):
    __wrapped__: Callable[_P, _R]
    def __init__(self, f: Callable[_P, _R]) -> None: ...
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    def defjvp(self, rule: _Function) -> _Function: ...

# ---- loops and branches ----

def cond(pred: _Truth, f: Callable[[*_Ts], _R], g: Callable[[*_Ts], _R], *ops: *_Ts) -> _R: ...
def switch(
    index: LazyArray[np.integer] | SupportsIndex, functions: Sequence[Callable[[*_Ts], _R]], *ops: *_Ts
) -> _R: ...
def while_loop(cond: Callable[[_T], _Truth], body: Callable[[_T], _T], init: _T) -> _T: ...
def fori_loop(
    lower: LazyArray[np.integer] | SupportsIndex, upper: LazyArray[np.integer] | SupportsIndex,
    body: Callable[[LazyArray[np.intp], _T], _T], init: _T
) -> _T: ...
@overload
def scan(
    f: Callable[[_Carry, _X], tuple[_Carry, _R]], init: _Carry, xs: _X, length: int | None = None, reverse: bool = False
) -> tuple[_Carry, _R]: ...
@overload
def scan(
    f: Callable[[_Carry, None], tuple[_Carry, _R]], init: _Carry, xs: None = None, length: int | None = None,
    reverse: bool = False
) -> tuple[_Carry, _R]: ...

# ---- calls that wait ----

@overload
def delay(
    fn: Callable[..., Any], *arrays: Operand, shape: SupportsIndex | tuple[SupportsIndex, ...],
    dtype: _DTypeLike[ScalarT]
) -> LazyArray[ScalarT]: ...
@overload
def delay(
    fn: Callable[..., Any], *arrays: Operand, shape: list[tuple[int, ...]], dtype: Sequence[npt.DTypeLike]
) -> tuple[LazyArray, ...]: ...
@overload
def delay(fn: Callable[..., Any], *arrays: Operand, shape: ShapeLike, dtype: npt.DTypeLike) -> LazyArray: ...
@overload
def evaluate_async(array: LazyArray[ScalarT], /) -> EvaluationFuture[LazyArray[ScalarT]]: ...
@overload
def evaluate_async(*arrays: *_Ts) -> EvaluationFuture[tuple[*_Ts]]: ...

# ---- functions that NumPy has not ----

class _Fma(Ufunc):
    @overload
    def __call__(
        self, x: _ArrayLike[FloatingT], y: _ArrayLike[FloatingT] | float, z: _ArrayLike[FloatingT] | float, /,
        out: None = None, *, dtype: None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray[FloatingT]: ...
    @overload
    def __call__(
        self, x: Operand, y: Operand, z: Operand, /, out: LazyArray | None = None, *,
        dtype: npt.DTypeLike | None = None, **options: Unpack[UfuncOptions]
    ) -> LazyArray: ...

fma: _Fma

@overload
def logsumexp(x: _ArrayLike[InexactT], axis: Axis = None, keepdims: bool = False) -> LazyArray[InexactT]: ...
@overload
def logsumexp(x: Operand, axis: Axis = None, keepdims: bool = False) -> LazyArray: ...
def is_symmetric(a: Operand, *, rtol: float = 0, atol: float = 0) -> LazyArray[np.bool]: ...
def is_hermitian(a: Operand, *, rtol: float = 0, atol: float = 0) -> LazyArray[np.bool]: ...
def is_triangular(a: Operand, *, lower: bool = False) -> LazyArray[np.bool]: ...

# A variable of a symbolic graph, or NumPy's variance.
@overload
def var(a: int | tuple[int | None, ...] | None, dtype: npt.DTypeLike, name: str | None = None) -> Symbol: ...
@overload
def var(a: int | tuple[int | None, ...] | None, *, name: str) -> Symbol: ...
@overload
def var(
    a: _ArrayLike[FloatingT], axis: Axis = None, dtype: None = None, out: None = None, ddof: float = 0,
    keepdims: bool = ..., *, where: Operand = ..., mean: Operand = ..., correction: float = ...
) -> LazyArray[FloatingT]: ...
@overload
def var(
    a: Operand, axis: Axis = None, dtype: npt.DTypeLike | None = None, out: LazyArray | None = None, ddof: float = 0,
    keepdims: bool = ..., *, where: Operand = ..., mean: Operand = ..., correction: float = ...
) -> LazyArray: ...
