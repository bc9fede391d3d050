"""Lazy NumPy arrays: operations build a graph, and reading the values evaluates it with fused native code.

Run an unchanged NumPy script with `lazyarr script.py`, import `lazyarr.numpy as np`, or make single arrays lazy with
`lazyarr.asarray`. This module has every public name of NumPy, and what lazyarr adds; the latter is imported on first
use (`later.py`).

`docs/architecture.md` describes the layers, and has a glossary and the path of an expression.
"""
from lazyarr import later, numpy
from lazyarr._core.host import tracebacks as _tracebacks
from lazyarr._version import __version__
from lazyarr.config import config, no_evaluation

__all__ = [*later.PUBLIC, "__version__", "config", "ndarray", "no_evaluation", "numpy"]  # noqa: PLE0604  # all strings


def load_ipython_extension(shell):
    """Called by ``%load_ext lazyarr``: the NumPy of the cells is lazy from now on."""
    from lazyarr import ipython
    ipython.load(shell)


def unload_ipython_extension(shell):
    """Called by ``%unload_ext lazyarr``."""
    from lazyarr import ipython
    ipython.unload(shell)


def __getattr__(name):
    try:
        found = globals()[name] = later.found(name) if name in later.WHERE else later.of_numpy(name)
        return found
    except BaseException as error:
        _tracebacks.hide_frames(error)
        raise


def __dir__():
    return sorted({*__all__, *dir(numpy)})
