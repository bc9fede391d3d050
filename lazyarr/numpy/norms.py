"""Vector norms: one reduction over any set of axes, fused with preceding operations.

NumPy first copies the axes together, and computes the norm of all elements by BLAS. Other matrix norms and unusual
orders use NumPy's steps.
"""
import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from lazyarr._core import api as core
from lazyarr.numpy.rebound_numpy_code import composed
from lazyarr.ops import reduction
from lazyarr.ops.elementwise import real_value
from lazyarr.ops.operands import LazyArray, cast, lazy
from lazyarr.ops.table import NATIVE, Op, add, mirror

_DOUBLE = np.dtype(float)
_FLOATS = frozenset({np.dtype(np.float32), _DOUBLE})
_PARTS = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): _DOUBLE}
_norm, _vector_norm = composed(np.linalg.norm), composed(np.linalg.vector_norm)


def _inexact(x):
    """Return x in a dtype whose norms are fused; None if it is not numeric, of unusual precision, or empty."""
    if not isinstance(x, LazyArray) or not x.ndim or not x.size:
        return None
    if x.dtype in _FLOATS or x.dtype in _PARTS:
        return x
    return cast(x, _DOUBLE) if x.dtype.kind in "biu" and x.dtype.isnative else None


def _euclidean(x, axes, keepdims):
    if x.dtype in _PARTS:
        squares = real_value(core.ufunc(np.multiply, (core.ufunc(np.conjugate, (x,)), x)))
    else:
        squares = core.ufunc(np.square, (x,))
    return core.ufunc(np.sqrt, (reduction.sum(squares, axes, keepdims=keepdims),))


def _of_all(x, keepdims):
    if x.dtype in _PARTS:  # NumPy squares parts separately, so inf * 0 does not occur
        x, imaginary = x.real, x.imag
        squares = core.ufunc(np.add, (core.ufunc(np.square, (x,)), core.ufunc(np.square, (imaginary,))))
        return core.ufunc(np.sqrt, (reduction.sum(squares, None, keepdims=keepdims),))
    return _euclidean(x, None, keepdims)


def _euclidean_axes(x, ord, axis):
    """Return the axes of a Euclidean norm of complex vectors or matrices; None for other norms and invalid calls."""
    axes = axis if type(axis) is tuple else (axis,)
    if x.dtype not in _PARTS or not all(type(d) is int and -x.ndim <= d < x.ndim for d in axes):
        return None
    axes = tuple([d % x.ndim for d in axes])
    orders = {1: (None, 2), 2: (None, "f", "fro")}.get(len(set(axes)), ())
    return axes if len(set(axes)) == len(axes) and isinstance(ord, str | int | None) and ord in orders else None


def norm(x, ord=None, axis=None, keepdims=False):
    """Norm of a matrix or vector; Euclidean norms of all elements, or of complex ones, are fused."""
    inexact = _inexact(x)
    if inexact is None:
        return _norm(x, ord, axis, keepdims)
    if axis is None:
        ndim = inexact.ndim
        if ord is None or (ndim == 2 and ord in ("f", "fro")) or (ndim == 1 and ord == 2):
            return _of_all(inexact, bool(keepdims))
    elif axes := _euclidean_axes(inexact, ord, axis):
        return _euclidean(inexact, axes, bool(keepdims))
    return _norm(x, ord, axis, keepdims)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """Norm of vectors along any axes, as one fused reduction."""
    inexact = _inexact(lazy(x) if isinstance(x, np.ndarray) else x)
    if inexact is None or not isinstance(ord, int | float) or ord not in (0, 1, 2, np.inf, -np.inf):
        return _vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    axes = tuple(range(inexact.ndim)) if axis is None else normalize_axis_tuple(axis, inexact.ndim)
    keepdims = bool(keepdims)
    if ord == 2:
        return _euclidean(inexact, axes, keepdims)
    if ord == 0:
        nonzero = core.ufunc(np.not_equal, (inexact, 0))
        return reduction.sum(cast(nonzero, _PARTS.get(inexact.dtype, inexact.dtype)), axes, keepdims=keepdims)
    fold = {1: reduction.sum, np.inf: reduction.max, -np.inf: reduction.min}[ord]
    return fold(core.ufunc(np.absolute, (inexact,)), axes, keepdims=keepdims)


for _function, _original in ((norm, np.linalg.norm), (vector_norm, np.linalg.vector_norm)):
    _sentence = (_function.__doc__ or "").split("\n")[0]
    add(Op(f"linalg.{_original.__name__}", mirror(_function, _original), (_original,), NATIVE, doc=_sentence))
