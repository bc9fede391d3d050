"""Dropout."""
import numbers
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr.nn.functional.activations import floating
from lazyarr.nn.layers.base import Layer
from lazyarr.numpy.lazy_random import draw
from lazyarr.ops.operands import lazy


class Dropout(Layer):
    """Set random elements to zero and divide the others by ``1 - rate``; Srivastava et al., 2014.

    In evaluation mode, after `eval`, it returns its argument.

    Parameters
    ----------
    rate : float, optional
        The probability that an element is set to zero.
    rng : numpy.random.Generator or seed, optional
        Each call draws new numbers from it.

    Raises
    ------
    ValueError
        For a rate outside [0, 1).
    TypeError
        For one that is no number.

    Examples
    --------
    >>> drop = la.nn.Dropout(0.5, rng=1)
    >>> drop(la.ones(4))
    array([0., 2., 2., 2.])
    >>> drop.eval()(la.ones(4))
    array([1., 1., 1., 1.])
    """

    drawn_by_graphs = True

    def __init__(self, rate: float = 0.5, *, rng: Any = None) -> None:
        given: Any = rate
        if not isinstance(given, numbers.Real):
            raise TypeError(f"Dropout: rate must be a number, got {type(given).__name__}")
        if not 0 <= rate < 1:
            raise ValueError(f"Dropout: rate must be at least 0 and less than 1, got {rate}")
        self.rate: float = rate
        self.rng: np.random.Generator = np.random.default_rng(rng)

    def __call__(self, x: LazyArray) -> LazyArray:
        if not self.training or not self.rate:
            return x
        x = floating(x, "Dropout: x")
        stays = lazy(draw(self.rng, "random", x.shape, np.float32)) >= self.rate
        return core.select(stays, x * (1 / (1 - self.rate)), 0)
