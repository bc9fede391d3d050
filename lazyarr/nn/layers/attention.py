"""Attention."""
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr.nn import initialisers
from lazyarr.nn.annotations import Operand
from lazyarr.nn.functional.activations import floating, softmax
from lazyarr.nn.layers.base import Layer
from lazyarr.nn.layers.linear import Linear
from lazyarr.ops.arguments import integer, operand
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import joint_shape


@named("nn.scaled_dot_product_attention")
def scaled_dot_product_attention(query: Operand, key: Operand, value: Operand, *, mask: Operand | None = None,
                                 causal: bool = False, scale: float | None = None) -> LazyArray:
    """Compute attention, ``softmax(query @ key.T * scale) @ value``; Vaswani et al., 2017.

    Parameters
    ----------
    query : array_like
        (..., queries, size)
    key : array_like
        (..., keys, size)
    value : array_like
        (..., keys, length)
    mask : array_like, optional
        Of a shape that broadcasts to (..., queries, keys). Bools select the keys that a query may attend to; floats are
        added to the argument of softmax. A query that may attend to no key attends to all equally.
    causal : bool, optional
        Whether query i may attend only to keys up to i.
    scale : float, optional
        ``1 / sqrt(size)`` by default.

    Returns
    -------
    LazyArray
        (..., queries, length)

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For numbers that are not real, or a mask of integers.

    Examples
    --------
    >>> x = la.array([[1.0, 0.0], [0.0, 1.0]])
    >>> la.nn.scaled_dot_product_attention(x, x, x, causal=True, scale=100)
    array([[1.00000000e+00, 0.00000000e+00],
           [3.72007598e-44, 1.00000000e+00]])
    """
    name = "scaled_dot_product_attention"
    query, key, value = floating(query, f"{name}: query"), floating(key, f"{name}: key"), floating(value,
                                                                                                 f"{name}: value")
    if min(query.ndim, key.ndim, value.ndim) < 2 or query.shape[-1] != key.shape[-1] or \
            key.shape[-2] != value.shape[-2]:
        raise ValueError(f"{name}: query of shape {query.shape}, key of shape {key.shape} and value of shape "
                         f"{value.shape} do not fit: they must be (..., queries, size), (..., keys, size) and (..., "
                         "keys, length)")
    scores = (query * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)) @ key.mT
    shape, dtype = scores.shape, scores.dtype
    lowest = np.finfo(dtype).min
    if mask is not None:
        mask = _mask(name, mask, shape)
        scores = core.select(mask, scores, lowest) if mask.dtype.kind == "b" else scores + mask.astype(dtype)
    if causal:
        scores = core.select(core.from_numpy(np.tri(*shape[-2:], dtype=bool)), scores, lowest)
    return softmax(scores) @ value


def _mask(name: str, mask: Operand, shape: tuple[int, ...]) -> LazyArray:
    mask = operand(mask, f"{name}: mask")
    if mask.dtype.kind not in "bf":
        raise TypeError(f"{name}: mask must be of bools or floats, got {mask.dtype}")
    if joint_shape(mask.shape, shape) != shape:
        raise ValueError(f"{name}: mask of shape {mask.shape} does not broadcast to {shape}")
    return mask


class MultiHeadAttention(Layer):
    """Multi-head attention, with projections of queries, keys and values for each head; Vaswani et al., 2017.

    Parameters
    ----------
    size : int
        The length of the last axis of inputs and results.
    heads : int
        The number of heads.
    bias : bool or callable, optional
        Whether projections have a bias, or its initialiser; zeros by default.
    weight : callable, optional
        The initialiser of the projections, see `lazyarr.nn.initialisers`.
    rng : numpy.random.Generator or seed, optional
    dtype : dtype_like, optional

    Attributes
    ----------
    query, key, value, output : Linear
        The projections.

    Notes
    -----
    A call takes x, (batch, queries, size), and optionally the array to attend to, (batch, keys, size), by default x
    itself. It returns an array of x's shape. `mask`, of a shape that broadcasts to (batch, heads, queries, keys), and
    `causal` are those of `scaled_dot_product_attention`.

    Raises
    ------
    ValueError
        For sizes that are not positive, or heads that do not divide the size. When called: for shapes that do not fit.
    TypeError
        For sizes that are not integers.

    Examples
    --------
    >>> attention = la.nn.MultiHeadAttention(8, 2)
    >>> x = la.ones((2, 5, 8), "float32")
    >>> attention(x, causal=True).shape
    (2, 5, 8)
    >>> attention(x, la.ones((2, 3, 8), "float32"), mask=la.array([[[[True, True, False]]]])).shape
    (2, 5, 8)
    """

    def __init__(self, size: int, heads: int, bias: bool = True, *,
                 weight: Callable[..., Any] = initialisers.glorot_uniform, rng: Any = None,
                 dtype: "np.typing.DTypeLike" = np.float32) -> None:
        size = integer(size, "size")
        self.heads: int = integer(heads, "heads")
        if size % self.heads:
            raise ValueError(f"MultiHeadAttention: {heads} heads do not divide the size {size}")
        rng = np.random.default_rng(rng)
        self.query, self.key, self.value, self.output = [
            Linear(size, size, bias, weight=weight, rng=rng, dtype=dtype) for _ in range(4)]

    def __call__(self, x: Operand, attended: Operand | None = None, *, mask: Operand | None = None,
                 causal: bool = False) -> LazyArray:
        x = self._checked(x, "x")
        attended = x if attended is None else self._checked(attended, "attended")
        if attended.shape[0] != x.shape[0]:
            raise ValueError(f"MultiHeadAttention: x of shape {x.shape} and attended of shape {attended.shape} must "
                             "have the same batch")
        q, k, v = [self._apart(y) for y in (self.query(x), self.key(attended), self.value(attended))]
        y = scaled_dot_product_attention(q, k, v, mask=mask, causal=causal)
        return self.output(y.swapaxes(1, 2).reshape(x.shape))

    def _checked(self, x: Operand, what: str) -> LazyArray:
        x = floating(x, f"MultiHeadAttention: {what}")
        size = self.query.weight.shape[0]
        if x.ndim != 3 or x.shape[2] != size:
            raise ValueError(f"MultiHeadAttention: {what} must have shape (batch, positions, {size}), not {x.shape}")
        return x

    def _apart(self, x):
        """Split x into heads: (batch, heads, positions, size / heads)."""
        return x.reshape(*x.shape[:2], self.heads, x.shape[2] // self.heads).swapaxes(1, 2)
