"""Lazy imports, so that importing the package takes little longer than importing NumPy.

Names of the package are looked up in `WHERE`. A layer serves the core through hooks, which import the layer, and adds
attributes to LazyArray, which do the same.
"""
import _thread
import functools
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from lazyarr._core import api as core
from lazyarr.autotune import store

_NAMES = {
    "lazyarr._core.api": "EvaluationForbidden LazyArray evaluate",
    "lazyarr.config": "backend",
    "lazyarr.autodiff": "NotDifferentiable custom_jvp custom_vjp grad hessian hvp jacobian jvp laplacian stop_gradient "
                        "value_and_grad vjp vmap",
    "lazyarr.control": "TracedValueError checkpoint cond fori_loop scan switch while_loop",
    "lazyarr.creation": "array asarray",
    "lazyarr.doctor": "show_versions",
    "lazyarr.inspect.graphviz": "DrawingError",
    "lazyarr.inspect.explain": "explain show",
    "lazyarr.inspect.profile": "profile",
    "lazyarr.inspect.fallback_report": "report",
    "lazyarr.inspect.summary": "summary",
    "lazyarr.numpy.ufuncs": "fma",
    "lazyarr.ops.logsumexp": "logsumexp",
    "lazyarr.ops.matrices": "is_hermitian is_symmetric is_triangular",
    "lazyarr.ops.delayed": "delay",
    "lazyarr.runtime.devices": "device devices",
    "lazyarr.runtime.evaluation_future": "evaluate_async",
    "lazyarr.runtime.streams": "Stream",
    "lazyarr.symbolic": "graph load_graph var",
    "lazyarr.tracing.jit": "jit",
}
# Attributes of LazyArray, and the modules that define them.
_BROUGHT = {"__array_namespace__": "lazyarr.array_api", "evaluate_async": "lazyarr.runtime.evaluation_future",
            "grad": "lazyarr.autodiff", "to_dot": "lazyarr.inspect.explain",
            "_repr_html_": "lazyarr.inspect.array_view", "_repr_mimebundle_": "lazyarr.inspect.array_view"}
_OFFERED = "array_api autodiff backends control nn rules runtime symbolic".split()
_INTERNAL = "autotune creation inspect ops".split()
_MODULES = [*_OFFERED, *_INTERNAL]

WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}
PUBLIC = [*WHERE, *_OFFERED]
"""The names of the package's interface."""
WHERE |= {name: f"lazyarr.{name}" for name in _MODULES}
"""The package's names that are imported on first use, with their modules; submodules map to themselves."""


# Two threads must not import modules that import each other: Python would show one of them half a module.
_importing = _thread.RLock()


def _imported(name: str) -> Any:
    with _importing:
        return importlib.import_module(name)


def found(name: str) -> Any:
    """Return the object for a name in `WHERE`."""
    core.prepare()  # the object may be LazyArray, which needs its methods
    module = _imported(WHERE[name])
    return module if name in _MODULES else getattr(module, name)


@functools.cache
def _face() -> Any:
    from lazyarr.numpy.namespace import WaitingFace

    return WaitingFace("lazyarr")


def of_numpy(name: str) -> Any:
    """Return the counterpart of a name of NumPy: a function that builds a graph."""
    try:
        return getattr(_face(), name)
    except AttributeError:
        from lazyarr.renamed import check_attribute

        check_attribute("lazyarr", name)
        raise


class _LastFinder:
    """A finder of last resort, which names the new module if the missing one was renamed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("lazyarr.") and not name.endswith("._native"):  # most packages have no native modules
            from lazyarr.renamed import check_import

            check_import(name)
        return None


def _first_array() -> None:
    """Register all that arrays need, and count fallbacks to NumPy from the first array on."""
    import lazyarr.inspect.fallbacks
    import lazyarr.numpy.contents

    if store.found:
        import lazyarr.autotune.settings  # noqa: F401 - puts them in force
    if store.found_backends:
        from lazyarr.autotune import choices

        choices.load()


def _function_of(module: str, name: str) -> Callable[..., Any]:
    """Return a hook that imports a module and calls its function, which replaces the hook."""
    return lambda *args: getattr(importlib.import_module(module), name)(*args)


def _add_devices() -> str:
    """Look for accelerators; other threads that ask, and forks, wait meanwhile."""
    with _importing:
        found: str = importlib.import_module("lazyarr.gpu.discovery").add_devices()
        return found


def _rules() -> None:
    import lazyarr.control  # noqa: F401 - some rules are loops, and it imports the others


class _Brought:
    """An attribute of LazyArray whose first use imports the module that defines it, which replaces this."""

    def __init__(self, name: str, module: str) -> None:
        self._name, self._module = name, module

    def __get__(self, array: Any, owner: type) -> Any:
        _imported(self._module)
        return getattr(owner if array is None else array, self._name)


def _before_fork() -> None:
    """Import everything if other threads might be importing, as no thread of the child would finish these imports."""
    _importing.acquire()
    if len(sys._current_frames()) > 1:
        core.prepare()
        for module in (*WHERE.values(), "lazyarr.compiler.pipeline", "lazyarr.numpy.generators"):
            importlib.import_module(module)
        if core.DEBUG:
            importlib.import_module("lazyarr.compiler.verify")
        core.kernels.load()


sys.meta_path.append(_LastFinder)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_importing.release, after_in_child=_importing.release)
core.set_hook("first_array", _first_array)
core.set_hook("schedule", _function_of("lazyarr.compiler.pipeline", "compile_graph"))
core.set_hook("marks", _function_of("lazyarr.compiler.rewrite_rules", "marks_of"))
core.set_hook("rules", _rules)
core.set_hook("begin_evaluation", _function_of("lazyarr.runtime.evaluation_future", "begin"))
core.device_table.set_finder(_add_devices)
core.install({name: _Brought(name, module) for name, module in _BROUGHT.items()})
