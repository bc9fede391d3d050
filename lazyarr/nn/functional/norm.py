"""Normalisation; half precision is computed in single precision."""
import math
from typing import SupportsIndex

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr.nn.annotations import Operand
from lazyarr.nn.docstrings import documented
from lazyarr.nn.functional.activations import floating, narrow, wide
from lazyarr.ops.arguments import integer
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import cast

_sqrt = core.UfuncCaller(np.sqrt)

_RAISES = """
Raises
------
ValueError
    For shapes that do not fit.
TypeError
    For numbers that are not real.
"""


@named("nn.layer_norm")
@documented(_RAISES)
def layer_norm(x: Operand, weight: Operand | None = None, bias: Operand | None = None, *,
               eps: float = 1e-5) -> LazyArray:
    """Normalise over the last axes to mean 0 and variance 1; Ba, Kiros and Hinton, 2016.

    Parameters
    ----------
    x : array_like
    weight, bias : array_like, optional
        Scale and shift of the result. Their shape is that of the normalised axes; without them, only the last axis is
        normalised.
    eps : float, optional
        Added to the variance.

    Returns
    -------
    LazyArray
        Of x's shape and dtype.

    Examples
    --------
    >>> la.nn.layer_norm(la.array([[1.0, 3.0], [2.0, 10.0]]), eps=0)
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    x, weight, bias = _operands("layer_norm", x, weight, bias)
    parameter = bias if weight is None else weight
    ndim = 1 if parameter is None else parameter.ndim
    _check_shapes("layer_norm", x, x.shape[x.ndim - ndim:] if x.ndim >= ndim else None, weight, bias)
    return over_axes(x, tuple(range(x.ndim - ndim, x.ndim)), weight, bias, eps)


@named("nn.rms_norm")
@documented(_RAISES)
def rms_norm(x: Operand, weight: Operand | None = None, *, eps: float = 1e-6) -> LazyArray:
    """Divide by the root mean square along the last axis; Zhang and Sennrich, 2019.

    Parameters
    ----------
    x : array_like
    weight : array_like, optional
        Scale of the result, of the length of the last axis.
    eps : float, optional
        Added to the mean square.

    Examples
    --------
    >>> la.nn.rms_norm(la.array([3.0, 3.0, -3.0]), eps=0)
    array([ 1.,  1., -1.])
    """
    x, weight, _ = _operands("rms_norm", x, weight, None)
    _check_shapes("rms_norm", x, x.shape[-1:] or None, weight, None)
    near = wide(x)
    square = (near * near).sum(-1, keepdims=True) / x.shape[-1]
    return narrow(_scaled(near * (1 / _sqrt(square + eps)), weight, None), x)


@named("nn.group_norm")
def group_norm(x: Operand, groups: SupportsIndex, weight: Operand | None = None, bias: Operand | None = None, *,
               eps: float = 1e-5) -> LazyArray:
    """Normalise each group of channels of each example to mean 0 and variance 1; Wu and He, 2018.

    Parameters
    ----------
    x : array_like
        (batch, ..., channels)
    groups : int
        The number of groups of channels.
    weight, bias : array_like, optional
        (channels,), multiplied with and added to the result.
    eps : float, optional
        Added to the variance.

    Raises
    ------
    ValueError
        For shapes that do not fit, or groups that do not divide the channels.
    TypeError
        For numbers that are not real, or groups that are no integer.

    Examples
    --------
    >>> la.nn.group_norm(la.array([[1.0, 3.0, 2.0, 10.0]]), 2, eps=0)
    array([[-1.,  1., -1.,  1.]])
    """
    x, weight, bias = _operands("group_norm", x, weight, bias)
    _check_shapes("group_norm", x, x.shape[-1:] if x.ndim > 1 else None, weight, bias)
    shape, count = x.shape, integer(groups, "groups")
    if shape[-1] % count:
        raise ValueError(f"groups: {count} groups do not divide the {shape[-1]} channels of x")
    cut = x.reshape(shape[0], math.prod(shape[1:-1]), count, shape[-1] // count)
    return _scaled(over_axes(cut, (1, 3), None, None, eps).reshape(shape), weight, bias)


@named("nn.batch_norm")
@documented(_RAISES)
def batch_norm(x: Operand, mean: Operand, variance: Operand, weight: Operand | None = None,
               bias: Operand | None = None, *, eps: float = 1e-5) -> LazyArray:
    """Normalise each channel by a given mean and variance; Ioffe and Szegedy, 2015.

    Parameters
    ----------
    x : array_like
        (..., channels)
    mean, variance : array_like
        (channels,)
    weight, bias : array_like, optional
        (channels,), multiplied with and added to the result.
    eps : float, optional
        Added to the variance.

    Examples
    --------
    >>> la.nn.batch_norm(la.array([[1.0, 3.0], [2.0, 10.0]]), la.array([1.0, 2.0]), la.array([1.0, 4.0]), eps=0)
    array([[0. , 0.5],
           [1. , 4. ]])
    """
    x, weight, bias = _operands("batch_norm", x, weight, bias)
    mean, variance = floating(mean, "batch_norm: mean"), floating(variance, "batch_norm: variance")
    _check_shapes("batch_norm", x, x.shape[-1:] or None, weight, bias, mean=mean, variance=variance)
    return by_channel(x - mean, variance, weight, bias, eps)


def _operands(name: str, x: Operand, weight: Operand | None, bias: Operand | None) -> \
        tuple[LazyArray, LazyArray | None, LazyArray | None]:
    x = floating(x, f"{name}: x")
    weight, bias = [p if p is None else cast(floating(p, f"{name}: weight or bias"), x.dtype) for p in (weight, bias)]
    return x, weight, bias


def _check_shapes(name, x, shape, weight, bias, **others):
    if shape is None:
        raise ValueError(f"{name}: x of shape {x.shape} has too few axes")
    for what, given in dict(weight=weight, bias=bias, **others).items():
        if given is not None and given.shape != shape:
            raise ValueError(f"{name}: {what} must have shape {shape} for x of shape {x.shape}, not {given.shape}")


@named("nn.moments")
def moments(x, axes, kept=True):
    """Return the mean over axes, the deviations of x from it, and the variance; half precision in single."""
    x = wide(x)
    count = math.prod([x.shape[axis] for axis in axes])
    mean = x.sum(axes, keepdims=kept) / count
    apart = x - mean
    return mean, apart, (apart * apart).sum(axes, keepdims=kept) / count


def rounded(y, x, *others):
    """Return y, cast to half precision if x and the others, from which it was computed, are."""
    if x.dtype.char != "e":
        return y
    return cast(y, np.result_type(x.dtype, *[other.dtype for other in others if other is not None]))


def _scaled(x, weight, bias):
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


@named("nn.over_axes")
def over_axes(x, axes, weight, bias, eps):
    """Normalise x over axes to mean 0 and variance 1."""
    _, apart, variance = moments(x, axes)
    return rounded(_scaled(apart * (1 / _sqrt(variance + eps)), weight, bias), x, weight, bias)


@named("nn.by_channel")
def by_channel(apart, variance, weight, bias, eps):
    """Scale deviations from the mean by one factor per channel, of variance and weight, and add the bias."""
    scale = 1 / _sqrt(variance + eps)
    return _scaled(apart, scale if weight is None else scale * weight, bias)
