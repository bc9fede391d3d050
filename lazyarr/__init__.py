"""Lazy NumPy arrays: operators build a graph, looking at the values evaluates it through fused native code.

Use it as NumPy (`import lazyarr as np`), wrap single arrays (`lazyarr.asarray`), or run an unchanged NumPy script
with `python -m lazyarr script.py`. Every name of NumPy is here too. The layers, each on those below:

    _core       native: arrays, nodes, buffers, tile programs, plans
    ops         what each operation is, one row each
    graph       from a graph to a plan
    numpy       NumPy's names and protocols
    array_api   the names of the array API standard
    autodiff    derivatives as graphs
    control     loops and branches inside the graph
    nn          neural networks: convolutions, pooling and their gradients, activations, losses, layers, training
    inspect     what was evaluated, what fell back
    symbolic    graphs that are declared once and evaluated many times
    tuning      what decides which way is faster on this machine
    runner      scripts
    ipython     notebooks
"""
import lazyarr.graph.compile
import lazyarr.ops.call  # noqa: F401  registers calls of ufuncs with keywords
from lazyarr import array_api, autodiff, control, nn, numpy, symbolic
from lazyarr._core.api import EvaluationForbidden, LazyArray
from lazyarr._version import __version__
from lazyarr.autodiff import (
    NotDifferentiable,
    custom_jvp,
    custom_vjp,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    laplacian,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from lazyarr.config import config, no_evaluation
from lazyarr.control import TracedValueError, checkpoint, cond, fori_loop, scan, switch, while_loop
from lazyarr.creation import array, asarray
from lazyarr._core.api import evaluate
from lazyarr.inspect.drawing import DrawingError
from lazyarr.inspect.explain import explain, show
from lazyarr.inspect.profile import profile
from lazyarr.inspect.report import report
from lazyarr.inspect.summary import summary
from lazyarr.numpy.namespace import WaitingFace
from lazyarr.numpy.ndarray import ndarray
from lazyarr.ops.logsumexp import logsumexp
from lazyarr.ops.matrices import is_hermitian, is_symmetric, is_triangular
from lazyarr.symbolic import graph, jit, load_graph, var

__all__ = ["DrawingError", "EvaluationForbidden", "LazyArray", "NotDifferentiable", "TracedValueError", "__version__",
           "array", "array_api", "asarray", "autodiff", "checkpoint", "cond", "config", "control", "custom_jvp",
           "custom_vjp", "evaluate", "explain", "fori_loop", "grad", "graph", "hessian", "hvp", "is_hermitian",
           "is_symmetric", "is_triangular", "jacobian", "jit", "jvp", "laplacian", "load_graph", "logsumexp",
           "ndarray", "nn", "no_evaluation", "numpy", "profile", "report", "scan", "show", "stop_gradient", "summary",
           "switch", "symbolic", "value_and_grad", "var", "vjp", "vmap", "while_loop"]


def load_ipython_extension(shell):
    """What ``%load_ext lazyarr`` calls: the NumPy of the cells is lazy from now on."""
    from lazyarr import ipython
    ipython.load(shell)


def unload_ipython_extension(shell):
    """What ``%unload_ext lazyarr`` calls."""
    from lazyarr import ipython
    ipython.unload(shell)


_face = WaitingFace(__name__)


def __getattr__(name):
    found = globals()[name] = getattr(_face, name)
    return found


def __dir__():
    return sorted({*__all__, *dir(numpy)})
