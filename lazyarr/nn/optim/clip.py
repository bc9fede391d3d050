"""Lazy gradient clipping."""
from typing import TypeVar

import numpy as np

from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.nn.annotations import Tree
from lazyarr.nn.functional.activations import wide
from lazyarr.nn.optim.base import norm_of, sum_of_squares
from lazyarr.ops.arguments import array_argument
from lazyarr.ops.operands import LazyArray, lazy

_T = TypeVar("_T")


@api_boundary
def clip_by_value(tree: _T, low: float, high: float) -> _T:
    """Clip each element to the range from `low` to `high`.

    Parameters
    ----------
    tree : tree of array_like
        Gradients: nested tuples, lists and dicts of arrays.
    low, high : float

    Returns
    -------
    tree of LazyArray

    Raises
    ------
    ValueError
        If `low` exceeds `high`.

    Examples
    --------
    >>> la.nn.clip_by_value([la.array([3.0, -4.0])], -1, 1)
    [array([ 1., -1.])]
    """
    if not low <= high:
        raise ValueError(f"clip_by_value: low must not exceed high, got {low!r} and {high!r}")
    return rebuilt(tree, iter([array_argument(x, "clip_by_value: a gradient").clip(low, high) for x in leaves(tree)]))


@api_boundary
def clip_by_norm(tree: _T, norm: float) -> _T:
    """Scale down each array whose Euclidean norm exceeds `norm`.

    Parameters
    ----------
    tree : tree of array_like
        Gradients: nested tuples, lists and dicts of arrays.
    norm : float
        Greater than zero.

    Returns
    -------
    tree of LazyArray

    Examples
    --------
    >>> la.nn.clip_by_norm([la.array([3.0, 4.0]), la.array([0.5])], 1)
    [array([0.6, 0.8]), array([0.5])]
    """
    _check_norm("clip_by_norm", norm)
    return rebuilt(tree, iter([_scaled(x, norm_of(x), norm) for x in _inexact("clip_by_norm", tree)]))


@api_boundary
def clip_by_global_norm(tree: _T, norm: float) -> _T:
    """Scale down all arrays together if the Euclidean norm of all their elements exceeds `norm`.

    Pascanu, Mikolov and Bengio, "On the difficulty of training recurrent neural networks", 2013. Parameters and result
    are those of `clip_by_norm`.

    Examples
    --------
    >>> la.nn.clip_by_global_norm([la.array([3.0]), la.array([4.0])], 1)
    [array([0.6]), array([0.8])]
    """
    _check_norm("clip_by_global_norm", norm)
    arrays = _inexact("clip_by_global_norm", tree)
    if not arrays:
        return tree
    own = global_norm(arrays)
    return rebuilt(tree, iter([_scaled(x, own, norm) for x in arrays]))


@api_boundary
def global_norm(tree: Tree) -> LazyArray:
    """Compute the Euclidean norm of all elements of all arrays; half precision is computed in single.

    Examples
    --------
    >>> la.nn.global_norm([la.array([3.0]), la.array([4.0])])
    np.float64(5.0)
    """
    squares = [sum_of_squares(x) for x in _inexact("global_norm", tree)] or [lazy(0.0)]
    return np.sqrt(sum(squares[1:], squares[0]))


def _inexact(name, tree):
    """Return the arrays of a tree; raise unless all are of floats or complex numbers."""
    arrays = [array_argument(x, f"{name}: a gradient") for x in leaves(tree)]
    return [x if x.dtype.kind in "fc" else x.astype(float) for x in arrays]


def _scaled(x, own, norm):
    """Scale x, of norm `own`, down to `norm` if it is greater."""
    scaled = wide(x)
    scaled = scaled * (norm / np.maximum(own, norm)).astype(scaled.dtype)
    return scaled if scaled.dtype == x.dtype else scaled.astype(x.dtype)


def _check_norm(name, norm):
    if not norm > 0:
        raise ValueError(f"{name}: norm must be greater than zero, got {norm!r}")
