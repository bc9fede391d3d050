from builtins import bool as _bool  # `bool` is NumPy's here
from collections.abc import Callable, Mapping
from contextlib import _GeneratorContextManager
from typing import Any, Literal

from lazyarr import array_api, autodiff, backends, control, nn, numpy, rules, runtime, symbolic
from lazyarr._core.api import EvaluationForbidden, LazyArray
from lazyarr._version import __version__
from lazyarr.autodiff import NotDifferentiable
from lazyarr.autotune.settings import Tuning
from lazyarr.config import backend, no_evaluation
from lazyarr.control import TracedValueError
from lazyarr.doctor import show_versions
from lazyarr.inspect.explain import explain, show
from lazyarr.inspect.fallback_report import report
from lazyarr.inspect.graphviz import DrawingError
from lazyarr.inspect.profile import profile
from lazyarr.inspect.summary import summary
from lazyarr.runtime.devices import device, devices
from lazyarr.runtime.streams import Stream
from lazyarr.stubs.names import *
from lazyarr.stubs.transforms import (
    checkpoint,
    cond,
    custom_jvp,
    custom_vjp,
    delay,
    evaluate_async,
    fma,
    fori_loop,
    grad,
    hessian,
    hvp,
    is_hermitian,
    is_symmetric,
    is_triangular,
    jacobian,
    jit,
    jvp,
    laplacian,
    logsumexp,
    scan,
    stop_gradient,
    switch,
    value_and_grad,
    var,
    vjp,
    vmap,
    while_loop,
)
from lazyarr.symbolic import graph, load_graph

__all__ = ["DrawingError", "EvaluationForbidden", "LazyArray", "NotDifferentiable", "Stream", "TracedValueError",
           "__version__", "array", "array_api", "asarray", "autodiff", "backend", "backends", "checkpoint", "cond",
           "config", "control", "custom_jvp", "custom_vjp", "delay", "device", "devices", "evaluate", "evaluate_async",
           "explain", "fma", "fori_loop", "grad", "graph", "hessian", "hvp", "is_hermitian", "is_symmetric",
           "is_triangular", "jacobian", "jit", "jvp", "laplacian", "load_graph", "logsumexp", "ndarray", "nn",
           "no_evaluation", "numpy", "profile", "report", "rules", "runtime", "scan", "show", "show_versions",
           "stop_gradient", "summary", "switch", "symbolic", "value_and_grad", "var", "vjp", "vmap", "while_loop"]

class _Config:
    num_threads: int
    budget_nodes: int
    budget_bytes: int
    budget_work: int
    small_work: Literal["auto", "wait", "now"]
    pool_limit: int
    memory_limit: int | None
    cache_limit: int
    memo_limit: int
    async_evaluation: _bool
    check_views: _bool
    debug_nans: _bool
    debug: _bool
    traceback_filtering: _bool
    progress: _bool
    exact: _bool
    fast_math: _bool
    backend: str | Mapping[str, str] | None
    device: str
    array_namespace: _bool
    on_evaluate: Callable[[dict[str, Any]], object] | None

    @property
    def tuning(self) -> Tuning: ...
    def __call__(self, *, num_threads: int = ..., budget_nodes: int = ..., budget_bytes: int = ...,
                 budget_work: int = ..., small_work: Literal["auto", "wait", "now"] = ..., pool_limit: int = ...,
                 memory_limit: int | None = ..., cache_limit: int = ..., memo_limit: int = ...,
                 async_evaluation: _bool = ..., check_views: _bool = ..., debug_nans: _bool = ..., debug: _bool = ...,
                 traceback_filtering: _bool = ..., progress: _bool = ..., exact: _bool = ..., fast_math: _bool = ...,
                 backend: str | Mapping[str, str] | None = ..., device: str = ..., array_namespace: _bool = ...,
                 on_evaluate: Callable[[dict[str, Any]], object] | None = ...,
                 ) -> _GeneratorContextManager[None]: ...

config: _Config

def evaluate(*arrays: LazyArray[Any]) -> None: ...
def load_ipython_extension(shell: Any) -> None: ...
def unload_ipython_extension(shell: Any) -> None: ...
