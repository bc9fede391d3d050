"""Norms of vectors: one fold over any set of axes, fused with what computes the elements.

NumPy moves the axes together in a copy first, and hands the norm of all elements to BLAS. What is not real, norms of
matrices and unusual orders take NumPy's steps.
"""
import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from lazyarr._core import api as core
from lazyarr.numpy.composed import composed
from lazyarr.ops import reduction
from lazyarr.ops.operands import LazyArray, cast, lazy
from lazyarr.ops.registry import NATIVE, Op, add, mirror

_DOUBLE = np.dtype(float)
_FLOATS = frozenset({np.dtype(np.float32), _DOUBLE})
_norm, _vector_norm = composed(np.linalg.norm), composed(np.linalg.vector_norm)


def _real(x):
    """x as float32 or float64, None where it is neither nor an integer, or no lazy array with elements."""
    if not isinstance(x, LazyArray) or not x.ndim or not x.size:
        return None
    if x.dtype in _FLOATS:
        return x
    return cast(x, _DOUBLE) if x.dtype.kind in "biu" and x.dtype.isnative else None


def _euclidean(x, axes, keepdims):
    return core.ufunc(np.sqrt, (reduction.sum(core.ufunc(np.square, (x,)), axes, keepdims=keepdims),))


def norm(x, ord=None, axis=None, keepdims=False):
    """Norm of a matrix or vector; that of all elements as one fused fold."""
    real = _real(x) if axis is None else None
    if real is not None and (ord is None or (real.ndim == 2 and ord in ("f", "fro")) or (real.ndim == 1 and ord == 2)):
        return _euclidean(real, None, bool(keepdims))
    return _norm(x, ord, axis, keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norm of vectors along any axes, as one fused fold."""
    real = _real(lazy(x) if isinstance(x, np.ndarray) else x)
    if real is None or not isinstance(ord, int | float) or ord not in (0, 1, 2, np.inf, -np.inf):
        return _vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    axes = tuple(range(real.ndim)) if axis is None else normalize_axis_tuple(axis, real.ndim)
    keepdims = bool(keepdims)
    if ord == 2:
        return _euclidean(real, axes, keepdims)
    if ord == 0:
        nonzero = core.ufunc(np.not_equal, (real, 0))
        return reduction.sum(cast(nonzero, real.dtype), axes, keepdims=keepdims)
    fold = {1: reduction.sum, np.inf: reduction.max, -np.inf: reduction.min}[ord]
    return fold(core.ufunc(np.absolute, (real,)), axes, keepdims=keepdims)


for _function, _original in ((norm, np.linalg.norm), (vector_norm, np.linalg.vector_norm)):
    _sentence = (_function.__doc__ or "").split("\n")[0]
    add(Op(f"linalg.{_original.__name__}", mirror(_function, _original), (_original,), NATIVE, doc=_sentence))
