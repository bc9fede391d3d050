"""Activation functions, and softmax. Values and gradients are accurate for arguments of any magnitude.

All take an array of real floats (integers are converted to float64) and keep its dtype; NaN gives NaN. Softmax of half
precision is computed in single precision.
"""
import functools
import math
from typing import SupportsIndex

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.nn.annotations import Operand
from lazyarr.ops.arguments import operand
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import LazyArray, cast

_exp, _expm1, _log, _log1p = map(core.UfuncCaller, (np.exp, np.expm1, np.log, np.log1p))
_tanh, _minimum, _maximum = map(core.UfuncCaller, (np.tanh, np.minimum, np.maximum))


@named("nn.floating")
def floating(x: Operand, name: str) -> LazyArray:
    """Return x as an array of real floats in native byte order."""
    if type(x) is not LazyArray:
        x = operand(x, name)
    kind = x.dtype.kind
    if kind == "f":
        return x if x.dtype.isnative else core.copy(x, x.dtype.newbyteorder("="))
    if kind not in "biu":
        raise TypeError(f"{name} must be of real numbers, got {x.dtype}")
    return core.copy(x, np.dtype(float))


def wide(x: LazyArray) -> LazyArray:
    """Return x, cast to single precision if in half, where sums of many elements or of squares overflow."""
    return core.copy(x, _SINGLE) if x.dtype.char == "e" else x


def narrow(y: LazyArray, x: LazyArray) -> LazyArray:
    """Cast a result computed from `wide(x)` back to x's precision."""
    return cast(y, _HALF) if x.dtype.char == "e" else y


_HALF, _SINGLE = np.dtype(np.float16), np.dtype(np.float32)


@functools.lru_cache(16)
def _largest_exponent(dtype):
    """Return the largest argument of exp with a finite result, with room for an addition."""
    return math.log(float(np.finfo(dtype).max)) - 1


@named("nn.relu")
def relu(x: Operand) -> LazyArray:
    """Compute ``max(x, 0)``; the derivative at 0 is 0.

    Examples
    --------
    >>> la.nn.relu(la.array([-1.0, 2.0]))
    array([0., 2.])
    """
    x = floating(x, "relu: x")
    return core.select(x <= 0, 0, x)


@named("nn.leaky_relu")
def leaky_relu(x: Operand, slope: float = 0.01) -> LazyArray:
    """Return x where it is positive, and ``slope * x`` elsewhere.

    Examples
    --------
    >>> la.nn.leaky_relu(la.array([-1.0, 2.0]))
    array([-0.01,  2.  ])
    """
    x = floating(x, "leaky_relu: x")
    return core.select(x > 0, x, x * slope)


@named("nn.elu")
def elu(x: Operand, alpha: float = 1.0) -> LazyArray:
    """Return x where it is positive, and ``alpha * (exp(x) - 1)`` elsewhere; Clevert, Unterthiner and Hochreiter, 2015.

    Examples
    --------
    >>> la.nn.elu(la.array([-1.0, 2.0]))
    array([-0.63212056,  2.        ])
    """
    x = floating(x, "elu: x")
    positive = x > 0
    return core.select(positive, x, _expm1(core.select(positive, 0, x)) * alpha)


@named("nn.sigmoid")
def sigmoid(x: Operand) -> LazyArray:
    """Compute the logistic sigmoid, ``1 / (1 + exp(-x))``.

    Examples
    --------
    >>> la.nn.sigmoid(la.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    x = floating(x, "sigmoid: x")
    most = _largest_exponent(x.dtype)
    e = _exp(core.select(x > most, most, x))
    return e / (e + 1)


@named("nn.log_sigmoid")
def log_sigmoid(x: Operand) -> LazyArray:
    """Compute ``log(sigmoid(x))``.

    Examples
    --------
    >>> la.nn.log_sigmoid(la.array([-1000.0, 0.0]))
    array([-1.00000000e+03, -6.93147181e-01])
    """
    return -softplus(-floating(x, "log_sigmoid: x"))


@named("nn.softplus")
def softplus(x: Operand) -> LazyArray:
    """Compute ``log(1 + exp(x))``.

    Examples
    --------
    >>> la.nn.softplus(la.array([-1000.0, 0.0, 1000.0]))
    array([0.00000000e+00, 6.93147181e-01, 1.00000000e+03])
    """
    x = floating(x, "softplus: x")
    straight = x > _largest_exponent(x.dtype)
    return core.select(straight, x, _log1p(_exp(core.select(straight, 0, x))))


@named("nn.silu")
def silu(x: Operand) -> LazyArray:
    """Compute ``x * sigmoid(x)``, also called swish; Elfwing, Uchibe and Doya, 2017.

    Examples
    --------
    >>> la.nn.silu(la.array([0.0, 2.0]))
    array([0.        , 1.76159416])
    """
    x = floating(x, "silu: x")
    return x * sigmoid(x)


@named("nn.tanh")
def tanh(x: Operand) -> LazyArray:
    """Compute the hyperbolic tangent.

    Examples
    --------
    >>> la.nn.tanh(la.array([0.0, 1000.0]))
    array([0., 1.])
    """
    return _tanh(floating(x, "tanh: x"))


@named("nn.gelu")
def gelu(x: Operand, approximate: bool = False) -> LazyArray:
    """Compute ``x * Phi(x)``, with the normal distribution function Phi; Hendrycks and Gimpel, 2016.

    Parameters
    ----------
    x : array_like
    approximate : bool, optional
        Whether to compute ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``, which is several times faster
        and differs by less than 0.0005.

    Examples
    --------
    >>> la.nn.gelu(la.array([-1.0, 2.0]))
    array([-0.15865525,  1.95449974])
    >>> la.nn.gelu(la.array([-1.0, 2.0]), approximate=True)
    array([-0.15880801,  1.95459769])
    """
    x = floating(x, "gelu: x")
    if approximate:
        near = _minimum(_maximum(x, -16), 16)  # tanh is 1 or -1 from there on, and cubes could overflow
        inner = near * (near * near * (0.044715 * _GELU) + _GELU)
        return x * (_tanh(inner) * 0.5 + 0.5)
    return x * (_erfc(x * -math.sqrt(0.5)) * 0.5)


_GELU = math.sqrt(2 / math.pi)


def _erfc(x):
    """Compute the complementary error function, accurate also where it is small."""
    known = _WITH_ERFC.get(x.dtype.char, x.dtype)
    return _caller_of_erfc()(x) if known == x.dtype else core.copy(_caller_of_erfc()(core.copy(x, known)), x.dtype)


_WITH_ERFC = {"e": np.dtype(np.float32), "g": np.dtype(float)}  # the dtypes for which SciPy has erfc


@functools.cache
def _caller_of_erfc():
    import scipy.special  # takes time to import, and this function alone needs it
    return core.UfuncCaller(scipy.special.erfc)


@named("nn.softmax")
def softmax(x: Operand, axis: SupportsIndex = -1) -> LazyArray:
    """Compute ``exp(x) / exp(x).sum()`` along an axis.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional

    Raises
    ------
    TypeError
        For numbers that are not real.
    numpy.exceptions.AxisError
        For an axis that x does not have.

    Examples
    --------
    >>> la.nn.softmax(la.array([[0.0, 0.0], [1000.0, -1000.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    x = floating(x, "softmax: x")
    e = _exp(shifted(wide(x), axis))
    return narrow(e / e.sum(axis, keepdims=True), x)


@named("nn.log_softmax")
def log_softmax(x: Operand, axis: SupportsIndex = -1) -> LazyArray:
    """Compute ``log(softmax(x))`` along an axis.

    Examples
    --------
    >>> la.nn.log_softmax(la.array([1000.0, 0.0]))
    array([    0., -1000.])
    """
    x = floating(x, "log_softmax: x")
    if not x.size:
        return softmax(x, axis)  # without the logarithms of empty sums
    down = shifted(wide(x), axis)
    return narrow(down - _log(_exp(down).sum(axis, keepdims=True)), x)


def shifted(x: LazyArray, axis: SupportsIndex) -> LazyArray:
    """Subtract the largest element along an axis; it counts as a constant, as callers' results do not depend on it."""
    return x - vjp.stop(x.max(axis, keepdims=True)) if x.size else x
