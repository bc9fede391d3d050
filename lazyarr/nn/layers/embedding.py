"""Embedding."""
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr.nn import initialisers
from lazyarr.nn.annotations import Operand
from lazyarr.nn.layers.base import Layer
from lazyarr.ops.arguments import integer, operand
from lazyarr.ops.operands import known_outside
from lazyarr.ops.taking import take

_STANDARD = functools.partial(initialisers.normal, deviation=1.0)


class Embedding(Layer):
    """A table of vectors for the integers from 0 to `count` - 1.

    Parameters
    ----------
    count, size : int
        The number of vectors, and their length.
    weight : callable, optional
        The initialiser of the vectors, see `lazyarr.nn.initialisers`; by default they are normal with deviation 1.
    rng : numpy.random.Generator or seed, optional
    dtype : dtype_like, optional

    Attributes
    ----------
    weight : LazyArray
        (count, size)

    Raises
    ------
    ValueError
        For sizes that are not positive.
    TypeError
        For sizes that are not integers. When called: for indices that are none.
    IndexError
        When called: for indices without a vector; where indices are still to be evaluated, when they are.

    Examples
    --------
    >>> vectors = la.nn.Embedding(10, 3)
    >>> vectors(la.array([[1, 7], [7, 0]])).shape
    (2, 2, 3)
    """

    def __init__(self, count: int, size: int, *, weight: Callable[..., Any] = _STANDARD, rng: Any = None,
                 dtype: "np.typing.DTypeLike" = np.float32) -> None:
        shape = integer(count, "count"), integer(size, "size")
        self.weight: LazyArray = initialisers.parameter(weight, shape, np.random.default_rng(rng), dtype, "weight")

    def __call__(self, indices: Operand) -> LazyArray:
        indices = operand(indices, "Embedding: indices")
        if indices.dtype.kind not in "iu":
            raise TypeError(f"Embedding: indices must be integers, got dtype {indices.dtype}")
        count = self.weight.shape[0]
        if known_outside(indices, 0, count):
            raise IndexError(f"Embedding: indices must be from 0 to {count - 1}")
        if core.is_pending(indices) and indices.dtype.kind == "i":    # negative ones would count from the end
            indices = np.where(indices < 0, np.intp(-1 - count), indices)
        return take(self.weight, indices, 0)
