"""Lazy NumPy arrays: operators build a graph, and reading the values evaluates it with fused native code.

Use it as NumPy (`import lazyarr as np`), wrap single arrays (`lazyarr.asarray`), or run an unchanged NumPy script
with `lazyarr script.py`. Every name of NumPy is here too. What is not NumPy's is imported when it is used (`later.py`).

`docs/architecture.md` lists the layers, and has the glossary and the path of an expression.
"""
from lazyarr import later, numpy
from lazyarr._version import __version__
from lazyarr.config import config, no_evaluation

__all__ = ["DrawingError", "EvaluationForbidden", "LazyArray", "NotDifferentiable", "TracedValueError", "__version__",
           "array", "array_api", "asarray", "autodiff", "checkpoint", "cond", "config", "control", "custom_jvp",
           "custom_vjp", "evaluate", "explain", "fori_loop", "grad", "graph", "hessian", "hvp", "is_hermitian",
           "is_symmetric", "is_triangular", "jacobian", "jit", "jvp", "laplacian", "load_graph", "logsumexp",
           "ndarray", "nn", "no_evaluation", "numpy", "profile", "report", "scan", "show", "stop_gradient", "summary",
           "switch", "symbolic", "value_and_grad", "var", "vjp", "vmap", "while_loop"]


def load_ipython_extension(shell):
    """Called by ``%load_ext lazyarr``: the NumPy of the cells is lazy from now on."""
    from lazyarr import ipython
    ipython.load(shell)


def unload_ipython_extension(shell):
    """Called by ``%unload_ext lazyarr``."""
    from lazyarr import ipython
    ipython.unload(shell)


def __getattr__(name):
    found = globals()[name] = later.found(name) if name in later.WHERE else later.of_numpy(name)
    return found


def __dir__():
    return sorted({*__all__, *dir(numpy)})
