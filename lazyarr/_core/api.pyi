from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lazyarr._core.eager.grid import dense_grid as dense_grid
from lazyarr._core.eager.grid import open_grid as open_grid
from lazyarr._core.eager.view import imag_part as imag_part
from lazyarr._core.eager.view import real_part as real_part
from lazyarr._core.frontend.boolean_select import elements_under as elements_under
from lazyarr._core.frontend.foreign_operands import is_answering as is_answering
from lazyarr._core.frontend.foreign_operands import is_array as is_array
from lazyarr._core.frontend.function import Function as Function
from lazyarr._core.frontend.function import UfuncCaller as UfuncCaller
from lazyarr._core.frontend.function import UnboundFunction as UnboundFunction
from lazyarr._core.frontend.function import enable_vectorcall as enable_vectorcall
from lazyarr._core.frontend.function import named as named
from lazyarr._core.frontend.function import values_at_once as values_at_once
from lazyarr._core.frontend.function import waiting as waiting
from lazyarr._core.frontend.hooks import set_hook as set_hook
from lazyarr._core.frontend.lazy_array import LazyArray as LazyArray
from lazyarr._core.frontend.lazy_array import Operand, Order, Shape
from lazyarr._core.frontend.lazy_array import install as install
from lazyarr._core.frontend.operands import array_given_by as array_given_by
from lazyarr._core.frontend.operands import asarray_of_others as asarray_of_others
from lazyarr._core.frontend.operands import asarray_operand as asarray_operand
from lazyarr._core.frontend.pending_queue import get_budget as get_budget
from lazyarr._core.frontend.pending_queue import one_plan as one_plan
from lazyarr._core.frontend.pending_queue import prepare as prepare
from lazyarr._core.frontend.pending_queue import set_budget as set_budget
from lazyarr._core.frontend.reduce_call import Reducer as Reducer
from lazyarr._core.frontend.reduce_call import reduce as reduce
from lazyarr._core.frontend.reduce_call import scan as scan
from lazyarr._core.frontend.reduce_call import search as search
from lazyarr._core.frontend.reshape import is_contiguous as is_contiguous
from lazyarr._core.frontend.reshape import new_shape as new_shape
from lazyarr._core.frontend.reshape import permuted as permuted
from lazyarr._core.frontend.reshape import reshaped as reshaped
from lazyarr._core.frontend.scalars import OfArrays as OfArrays
from lazyarr._core.frontend.structured import record_on as record_on
from lazyarr._core.frontend.views import adopt as adopt
from lazyarr._core.ir.const_guards import get_fast_math as get_fast_math
from lazyarr._core.ir.const_guards import set_fast_math as set_fast_math
from lazyarr._core.ir.fingerprint import get_debug_nans as get_debug_nans
from lazyarr._core.ir.fingerprint import set_debug_nans as set_debug_nans
from lazyarr._core.ir.fp_errors import get_debug as get_debug
from lazyarr._core.ir.fp_errors import set_debug as set_debug
from lazyarr._core.ir.leaf import get_check_views as get_check_views
from lazyarr._core.ir.leaf import set_check_views as set_check_views
from lazyarr._core.kernels.conv import correlate as correlate
from lazyarr._core.kernels.conv import correlate_channels as correlate_channels
from lazyarr._core.kernels.conv import marked as marked
from lazyarr._core.kernels.conv import weight_gradient as weight_gradient
from lazyarr._core.kernels.conv import weight_gradient_channels as weight_gradient_channels
from lazyarr._core.kernels.gather import gather as gather
from lazyarr._core.kernels.index_lookup import outside as outside
from lazyarr._core.kernels.matrix_predicates import matrices_are as matrices_are
from lazyarr._core.kernels.partition import partition_lines as partition_lines
from lazyarr._core.kernels.pooling import pool_give_back as pool_give_back
from lazyarr._core.kernels.pooling import pool_max as pool_max
from lazyarr._core.kernels.pooling import pool_mean as pool_mean
from lazyarr._core.kernels.pooling import pool_mix as pool_mix
from lazyarr._core.kernels.pooling import pool_places as pool_places
from lazyarr._core.kernels.repeat import spread as spread
from lazyarr._core.kernels.scatter import scatter as scatter
from lazyarr._core.kernels.sort import argsort_lines as argsort_lines
from lazyarr._core.kernels.sort import sort_lines as sort_lines
from lazyarr._core.runtime.no_evaluation import EvaluationForbidden as EvaluationForbidden
from lazyarr._core.runtime.no_evaluation import allow as allow
from lazyarr._core.runtime.no_evaluation import forbid as forbid

# Building graphs; each array is a LazyArray already, unless it says otherwise. A ufunc gives one array or a tuple.
def from_numpy(array: npt.NDArray[Any]) -> LazyArray: ...
def view(
    x: LazyArray,
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int = 0,
    dtype: npt.DTypeLike | None = None,
    writeable: bool = True,
) -> LazyArray: ...
def copy(
    x: LazyArray,
    dtype: npt.DTypeLike | None = None,
    shape: Sequence[int] | None = None,
    order: Order | None = "K",
    name: str | None = None,
    discards: bool = False,
) -> LazyArray: ...
def empty(
    shape: Sequence[int], dtype: npt.DTypeLike, order: Order = "C", axes: Sequence[int] | None = None
) -> LazyArray: ...
def full(
    shape: Sequence[int],
    value: npt.ArrayLike,
    dtype: npt.DTypeLike,
    order: Order = "C",
    axes: Sequence[int] | None = None,
) -> LazyArray: ...
def keep_to_itself(made): ...
def may_be_writeable(x: LazyArray) -> bool: ...
def owns_memory(x: LazyArray) -> bool: ...
def is_lent(x: LazyArray) -> bool: ...
def lent(x: LazyArray) -> np.ndarray: ...
def expose(x: LazyArray) -> np.ndarray: ...
def ufunc(u: np.ufunc, args: tuple[Operand, ...], kwargs: dict[str, Any] | None = None) -> Any: ...
def map_loop(
    u: np.ufunc,
    inputs: Sequence[LazyArray],
    types: Sequence[npt.DTypeLike],
    mask: LazyArray | None = None,
    old: LazyArray | None = None,
) -> LazyArray | tuple[LazyArray, ...] | None: ...
def select(
    condition: LazyArray, x: LazyArray | np.generic | float, y: LazyArray | np.generic | float
) -> LazyArray: ...
def selection(x: LazyArray, mask: LazyArray) -> LazyArray: ...
def put_selection(x: LazyArray, mask: LazyArray, value: LazyArray) -> bool: ...
def is_selection(x: LazyArray) -> bool: ...
def assign(x: LazyArray, value: Operand, beside: bool = False) -> None: ...
def repoint(x: LazyArray, value: LazyArray) -> None: ...
def inner_at_once(function: Any, a: Any, b: Any) -> LazyArray | None: ...
def opaque(
    name: str,
    function: Callable[..., Any],
    inputs: Iterable[LazyArray],
    shape: Shape,
    dtype: npt.DTypeLike,
    axes: Sequence[int] | None = None,
) -> LazyArray: ...
def kernel(
    name: str, function: Callable[..., Any], inputs: Iterable[LazyArray], shape: Shape, dtype: npt.DTypeLike,
    axes: Sequence[int] | None = None, times: tuple[int, ...] | None = None, hands_over: bool = False,
) -> LazyArray: ...
def product(
    a: LazyArray, b: LazyArray, shape: Shape, dtype: npt.DTypeLike, name: str = ...
) -> LazyArray | None: ...
def opaque_multi(
    name: str,
    function: Callable[..., Any],
    inputs: Iterable[LazyArray],
    specs: Sequence[tuple[Any, ...]],
    is_native: bool = False,
) -> tuple[LazyArray, ...]: ...
def unscalar(x: LazyArray) -> LazyArray: ...
def scalar(x: LazyArray) -> LazyArray: ...
def axes_iterated(x: LazyArray) -> tuple[int, ...] | None: ...
def axes_copied(x: LazyArray) -> tuple[int, ...] | None: ...
def memory_order(x: LazyArray) -> tuple[tuple[int, ...], tuple[int, ...]] | None: ...
def require_writeable(x: LazyArray, refusal: str) -> None: ...
def overlaps_itself(x: LazyArray) -> bool: ...
def offset(x: LazyArray) -> int: ...
def broadcast_shape(*shapes: Shape) -> Shape: ...

# Changing what an array holds; `function` gets a writeable ndarray on the array's elements.
def update(
    name: str, x: LazyArray, function: Callable[..., Any], inputs: Iterable[LazyArray], is_native: bool = False
) -> None: ...
def mutate(
    x: LazyArray, function: Callable[[npt.NDArray[Any]], Any], name: str = ..., operands: Iterable[LazyArray] = ()
) -> Any: ...

def report(flags: int, name: str) -> None: ...

# Evaluating
def evaluate(*arrays: LazyArray) -> None: ...
def is_pending(x: LazyArray) -> bool: ...

LARGE: int
DEBUG: bool
KERNELS: dict[str, str]
