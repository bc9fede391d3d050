from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Literal, SupportsIndex

import numpy.typing as npt

from lazyarr import array_api as array_api
from lazyarr import autodiff as autodiff
from lazyarr import control as control
from lazyarr import nn as nn
from lazyarr import numpy as numpy
from lazyarr import runtime as runtime
from lazyarr import symbolic as symbolic
from lazyarr._core.api import EvaluationForbidden as EvaluationForbidden
from lazyarr._core.api import LazyArray as LazyArray
from lazyarr._core.frontend.lazy_array import Operand, Order
from lazyarr._version import __version__ as __version__
from lazyarr.autodiff import NotDifferentiable as NotDifferentiable
from lazyarr.autodiff import custom_jvp as custom_jvp
from lazyarr.autodiff import custom_vjp as custom_vjp
from lazyarr.autodiff import grad as grad
from lazyarr.autodiff import hessian as hessian
from lazyarr.autodiff import hvp as hvp
from lazyarr.autodiff import jacobian as jacobian
from lazyarr.autodiff import jvp as jvp
from lazyarr.autodiff import laplacian as laplacian
from lazyarr.autodiff import stop_gradient as stop_gradient
from lazyarr.autodiff import value_and_grad as value_and_grad
from lazyarr.autodiff import vjp as vjp
from lazyarr.autodiff import vmap as vmap
from lazyarr.autotune.settings import Tuning
from lazyarr.config import no_evaluation as no_evaluation
from lazyarr.control import TracedValueError as TracedValueError
from lazyarr.control import checkpoint as checkpoint
from lazyarr.control import cond as cond
from lazyarr.control import fori_loop as fori_loop
from lazyarr.control import scan as scan
from lazyarr.control import switch as switch
from lazyarr.control import while_loop as while_loop
from lazyarr.inspect.explain import explain as explain
from lazyarr.inspect.explain import show as show
from lazyarr.inspect.fallback_report import report as report
from lazyarr.inspect.graphviz import DrawingError as DrawingError
from lazyarr.inspect.profile import profile as profile
from lazyarr.inspect.summary import summary as summary
from lazyarr.numpy.ndarray import ndarray as ndarray
from lazyarr.ops.logsumexp import logsumexp as logsumexp
from lazyarr.ops.matrices import is_hermitian as is_hermitian
from lazyarr.ops.matrices import is_symmetric as is_symmetric
from lazyarr.ops.matrices import is_triangular as is_triangular
from lazyarr.symbolic import graph as graph
from lazyarr.symbolic import load_graph as load_graph
from lazyarr.symbolic import var as var
from lazyarr.tracing.jit import jit as jit

class _Config:
    num_threads: int
    budget_nodes: int
    budget_bytes: int
    budget_work: int
    small_work: Literal["auto", "wait", "now"]
    pool_limit: int
    memory_limit: int | None
    cache_limit: int
    check_views: bool
    debug_nans: bool
    debug: bool
    progress: bool
    exact: bool
    fast_math: bool
    array_namespace: bool
    on_evaluate: Callable[[dict[str, Any]], object] | None

    @property
    def tuning(self) -> Tuning: ...
    def __call__(
        self,
        *,
        num_threads: int = ...,
        budget_nodes: int = ...,
        budget_bytes: int = ...,
        budget_work: int = ...,
        small_work: Literal["auto", "wait", "now"] = ...,
        pool_limit: int = ...,
        memory_limit: int | None = ...,
        cache_limit: int = ...,
        check_views: bool = ...,
        debug_nans: bool = ...,
        debug: bool = ...,
        progress: bool = ...,
        exact: bool = ...,
        fast_math: bool = ...,
        array_namespace: bool = ...,
        on_evaluate: Callable[[dict[str, Any]], object] | None = ...,
    ) -> AbstractContextManager[None]: ...

config: _Config

def asarray(
    a: Operand,
    dtype: npt.DTypeLike | None = None,
    order: Order = None,
    *,
    device: Literal["cpu"] | None = None,
    copy: bool | None = None,
    like: Any = None,
) -> LazyArray: ...
def array(
    object: Operand,
    dtype: npt.DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: Order = "K",
    subok: bool = False,
    ndmin: SupportsIndex = 0,
    like: Any = None,
) -> LazyArray: ...
def evaluate(*arrays: LazyArray) -> None: ...
def load_ipython_extension(shell: Any) -> None: ...
def unload_ipython_extension(shell: Any) -> None: ...

# Every public name of numpy, with NumPy's signature.
def __getattr__(name: str) -> Any: ...
