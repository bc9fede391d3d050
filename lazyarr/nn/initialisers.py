"""Initialisers of parameters: functions of a shape, a generator of random numbers and a dtype.

Layers accept any such function that returns an array, lazy or not, of that shape, of floats or complex numbers. Bind
other parameters by `functools.partial`.

The last two axes of a shape are input and output channels, preceding ones the taps of a convolution. Each output is a
sum of `fan_in` = ``prod(shape[:-1])`` inputs; each input contributes to `fan_out` = ``prod(shape[:-2]) * shape[-1]``
outputs.
"""
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.suggestions import did_you_mean
from lazyarr.nn.annotations import Rng
from lazyarr.ops.arguments import operand
from lazyarr.ops.devices import on_current
from lazyarr.ops.operands import LazyArray

__all__ = ["constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "kaiming_normal",
           "kaiming_uniform", "lecun_normal", "lecun_uniform", "normal", "ones", "orthogonal", "truncated_normal",
           "uniform", "xavier_normal", "xavier_uniform", "zeros"]


@api_boundary
def zeros(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Return zeros."""
    return core.from_numpy(np.zeros(shape, dtype))


@api_boundary
def ones(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Return ones."""
    return core.from_numpy(np.ones(shape, dtype))


@api_boundary
def constant(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32, *,
             value: float = 0.0) -> LazyArray:
    """Return an array filled with `value`.

    Examples
    --------
    >>> import functools
    >>> half = functools.partial(la.nn.initialisers.constant, value=0.5)
    >>> la.nn.Linear(1, 2, bias=half).bias
    array([0.5, 0.5], dtype=float32)
    """
    return core.from_numpy(np.full(shape, value, dtype))


@api_boundary
def uniform(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32, *,
            low: float = -0.05, high: float = 0.05) -> LazyArray:
    """Draw from the uniform distribution between `low` and `high`."""
    return core.from_numpy(np.asarray(np.random.default_rng(rng).uniform(low, high, shape)).astype(dtype))


@api_boundary
def normal(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32, *,
           mean: float = 0.0, deviation: float = 0.05) -> LazyArray:
    """Draw from a normal distribution."""
    return core.from_numpy(np.asarray(np.random.default_rng(rng).normal(mean, deviation, shape)).astype(dtype))


@api_boundary
def truncated_normal(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32, *,
                     mean: float = 0.0, deviation: float = 0.05) -> LazyArray:
    """Draw from a normal distribution, without numbers more than two standard deviations from the mean."""
    rng = np.random.default_rng(rng)
    drawn = rng.standard_normal(shape)
    while (far := np.abs(drawn) > 2).any():
        drawn[far] = rng.standard_normal(np.count_nonzero(far))
    return core.from_numpy(np.asarray(mean + deviation * drawn, dtype))


@api_boundary
@api_boundary
def glorot_uniform(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Draw uniformly with variance 2 / (fan_in + fan_out); Glorot and Bengio, 2010. Also `xavier_uniform`."""
    return _uniform(2 / sum(fans(shape)), shape, rng, dtype)


@api_boundary
@api_boundary
def glorot_normal(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Draw normally with variance 2 / (fan_in + fan_out); Glorot and Bengio, 2010. Also `xavier_normal`."""
    return normal(shape, rng, dtype, deviation=math.sqrt(2 / sum(fans(shape))))


@api_boundary
@api_boundary
def he_uniform(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Draw uniformly with variance 2 / fan_in; He, Zhang, Ren and Sun, 2015. Also `kaiming_uniform`."""
    return _uniform(2 / fans(shape)[0], shape, rng, dtype)


@api_boundary
@api_boundary
def he_normal(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Draw normally with variance 2 / fan_in; He, Zhang, Ren and Sun, 2015. Also `kaiming_normal`."""
    return normal(shape, rng, dtype, deviation=math.sqrt(2 / fans(shape)[0]))


@api_boundary
def lecun_uniform(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Draw uniformly with variance 1 / fan_in; LeCun, Bottou, Orr and Mueller, 1998."""
    return _uniform(1 / fans(shape)[0], shape, rng, dtype)


@api_boundary
def lecun_normal(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32) -> LazyArray:
    """Draw normally with variance 1 / fan_in; LeCun, Bottou, Orr and Mueller, 1998."""
    return normal(shape, rng, dtype, deviation=math.sqrt(1 / fans(shape)[0]))


@api_boundary
def orthogonal(shape: Sequence[int], rng: Rng = None, dtype: npt.DTypeLike = np.float32, *,
               gain: float = 1.0) -> LazyArray:
    """Draw a matrix with orthonormal columns, or rows if it has fewer rows, times `gain`; Saxe et al., 2014.

    All axes but the last are flattened into one.

    Raises
    ------
    ValueError
        For a shape with fewer than two axes.

    Examples
    --------
    >>> w = la.nn.initialisers.orthogonal((4, 2), rng=0, dtype=float)
    >>> la.allclose(w.T @ w, la.eye(2))
    True
    """
    if len(shape) < 2:
        raise ValueError(f"orthogonal: shape must have two axes or more, got {tuple(shape)}")
    rows, columns = math.prod(shape[:-1]), shape[-1]
    drawn = np.random.default_rng(rng).standard_normal((max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q *= np.where(np.diagonal(r) < 0, -gain, gain)  # makes it evenly distributed over all such matrices
    return core.from_numpy(np.ascontiguousarray(q if rows >= columns else q.T).reshape(shape).astype(dtype))


def parameter(initialiser: Any, shape: Sequence[int], rng: Rng, dtype: npt.DTypeLike, name: str) -> LazyArray:
    """Return a parameter with its initial value, on the current device."""
    return on_current(initial_value(initialiser, shape, rng, dtype, name))


def initial_value(initialiser: Any, shape: Sequence[int], rng: Rng, dtype: npt.DTypeLike, name: str) -> LazyArray:
    """Return the initial value of a parameter; an ndarray from the initialiser is copied."""
    if not callable(initialiser):
        got = repr(initialiser) if isinstance(initialiser, str) else type(initialiser).__name__
        raise TypeError(f"{name} must be an initialiser, a function of a shape, a generator and a dtype, such as those "
                        f"of lazyarr.nn.initialisers; got {got}{did_you_mean(initialiser, __all__)}")
    made = initialiser(shape, rng, dtype)
    if not isinstance(made, LazyArray):
        made = operand(np.array(made), name)
    if made.dtype.kind not in "fc":
        raise TypeError(f"{name} must be of floats or complex numbers, got {made.dtype}")
    if made.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, the initialiser gives {made.shape}")
    return made


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Return (fan_in, fan_out), at least 1, of weights of this shape."""
    taps = math.prod(shape[:-2])
    return max(taps * math.prod(shape[-2:-1]), 1), max(taps * math.prod(shape[-1:]), 1)


def _uniform(variance, shape, rng, dtype):
    bound = math.sqrt(3 * variance)
    return uniform(shape, rng, dtype, low=-bound, high=bound)


xavier_uniform, xavier_normal = glorot_uniform, glorot_normal
kaiming_uniform, kaiming_normal = he_uniform, he_normal
