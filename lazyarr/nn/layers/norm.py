"""Normalisation layers."""
from collections.abc import Sequence

import numpy as np

from lazyarr._core.api import LazyArray
from lazyarr._core.transforms import vjp
from lazyarr.nn import initialisers
from lazyarr.nn.annotations import Operand
from lazyarr.nn.functional.activations import floating
from lazyarr.nn.functional.norm import by_channel, group_norm, moments, over_axes, rms_norm, rounded
from lazyarr.nn.layers.base import Layer
from lazyarr.ops.arguments import integer


class BatchNorm(Layer):
    """Normalise each channel over all examples and positions to mean 0 and variance 1; Ioffe and Szegedy, 2015.

    In training mode it uses the moments of the batch and updates running moments: ``running += momentum * (batch -
    running)``, with the unbiased variance of the batch. In evaluation mode, after `eval`, it uses the running moments.

    Parameters
    ----------
    channels : int
    momentum : float, optional
        The weight of the batch in an update of running moments.
    eps : float, optional
        Added to the variance.
    affine : bool, optional
        Whether the layer has a weight and a bias, which scale and shift the result.
    dtype : dtype_like, optional

    Attributes
    ----------
    weight, bias : LazyArray or None
        (channels,), ones and zeros at first.
    mean, variance : LazyArray
        (channels,), the running moments: buffers.

    Raises
    ------
    ValueError
        For channels that are not positive, or a momentum outside [0, 1]. When called: for another number of channels,
        and in training mode for fewer than two elements per channel.
    TypeError
        For channels that are not an integer.

    Examples
    --------
    >>> norm = la.nn.BatchNorm(1, dtype=float)
    >>> x = la.array([[1.0], [3.0]])
    >>> norm(x).round(3)
    array([[-1.],
           [ 1.]])
    >>> norm.buffers()
    {'mean': array([0.2]), 'variance': array([1.1])}
    """

    buffer_names = ("mean", "variance")

    def __init__(self, channels: int, *, momentum: float = 0.1, eps: float = 1e-5, affine: bool = True,
                 dtype: "np.typing.DTypeLike" = np.float32) -> None:
        shape = integer(channels, "channels"),
        if not 0 <= momentum <= 1:
            raise ValueError(f"BatchNorm: momentum must be between 0 and 1, got {momentum}")
        self.momentum: float = momentum
        self.eps: float = eps
        self.weight: LazyArray | None
        self.bias: LazyArray | None
        self.weight, self.bias = _affine(shape, affine, dtype)
        self.mean: LazyArray = initialisers.parameter(initialisers.zeros, shape, None, dtype, "mean")
        self.variance: LazyArray = initialisers.parameter(initialisers.ones, shape, None, dtype, "variance")

    def __call__(self, x: Operand) -> LazyArray:
        x = floating(x, "BatchNorm: x")
        if x.shape[-1:] != self.mean.shape:
            raise ValueError(f"BatchNorm: x must have {self.mean.size} channels along its last axis, its shape is "
                             f"{x.shape}")
        if not self.training:
            return by_channel(x - self.mean, self.variance, self.weight, self.bias, self.eps)
        count = x.size // x.shape[-1]
        if count < 2:
            raise ValueError(f"BatchNorm: in training there must be more than one element of each channel, the shape "
                             f"is {x.shape}")
        mean, apart, variance = moments(x, tuple(range(x.ndim - 1)), False)
        self._follow(self.mean, mean, 1)
        self._follow(self.variance, variance, count / (count - 1))
        y = by_channel(apart, variance, self.weight, self.bias, self.eps)
        return rounded(y, x, self.mean, self.weight, self.bias)

    def _follow(self, running, moment, factor):
        running *= 1 - self.momentum
        running += vjp.stop(moment) * (self.momentum * factor)


class LayerNorm(Layer):
    """`layer_norm` with a weight and a bias.

    Parameters
    ----------
    shape : int or tuple of int
        The shape of the last axes, over which arrays are normalised.
    eps, affine, dtype : optional
        As for `BatchNorm`.

    Attributes
    ----------
    weight, bias : LazyArray or None
        Of this shape, ones and zeros at first.

    Raises
    ------
    ValueError
        For sizes that are not positive. When called: for an array whose last axes have another shape.
    TypeError
        For sizes that are not integers.

    Examples
    --------
    >>> la.nn.LayerNorm(2, eps=0)(la.array([1.0, 3.0], "float32"))
    array([-1.,  1.], dtype=float32)
    """

    def __init__(self, shape: int | Sequence[int], *, eps: float = 1e-5, affine: bool = True,
                 dtype: "np.typing.DTypeLike" = np.float32) -> None:
        self.shape: tuple[int, ...] = tuple([integer(n, "shape") for n in (shape if np.iterable(shape) else (shape,))])
        self.eps: float = eps
        self.weight: LazyArray | None
        self.bias: LazyArray | None
        self.weight, self.bias = _affine(self.shape, affine, dtype)

    def __call__(self, x: Operand) -> LazyArray:
        x = floating(x, "LayerNorm: x")
        ndim = len(self.shape)
        if x.shape[-ndim:] != self.shape:
            raise ValueError(f"LayerNorm: the last axes of x must have shape {self.shape}, its shape is {x.shape}")
        return over_axes(x, tuple(range(x.ndim - ndim, x.ndim)), self.weight, self.bias, self.eps)


class RMSNorm(Layer):
    """`rms_norm` with a weight.

    Parameters
    ----------
    size : int
        Of the last axis.
    eps : float, optional
        Added to the mean square.
    dtype : dtype_like, optional

    Attributes
    ----------
    weight : LazyArray
        (size,), ones at first.

    Raises
    ------
    ValueError
        For a size that is not positive. When called: for an array with another one.
    TypeError
        For a size that is not an integer.

    Examples
    --------
    >>> la.nn.RMSNorm(2, eps=0)(la.array([3.0, -3.0], "float32"))
    array([ 1., -1.], dtype=float32)
    """

    def __init__(self, size: int, *, eps: float = 1e-6, dtype: "np.typing.DTypeLike" = np.float32) -> None:
        self.eps: float = eps
        shape = integer(size, "size"),
        self.weight: LazyArray = initialisers.parameter(initialisers.ones, shape, None, dtype, "weight")

    def __call__(self, x: Operand) -> LazyArray:
        return rms_norm(x, self.weight, eps=self.eps)


class GroupNorm(Layer):
    """`group_norm` with a weight and a bias.

    Parameters
    ----------
    groups, channels : int
    eps, affine, dtype : optional
        As for `BatchNorm`.

    Attributes
    ----------
    weight, bias : LazyArray or None
        (channels,), ones and zeros at first.

    Raises
    ------
    ValueError
        For sizes that are not positive, or groups that do not divide the channels. When called: for another number of
        channels.
    TypeError
        For sizes that are not integers.

    Examples
    --------
    >>> la.nn.GroupNorm(2, 4)(la.ones((5, 8, 8, 4), "float32")).shape
    (5, 8, 8, 4)
    """

    def __init__(self, groups: int, channels: int, *, eps: float = 1e-5, affine: bool = True,
                 dtype: "np.typing.DTypeLike" = np.float32) -> None:
        self.groups: int = integer(groups, "groups")
        self.channels: int = integer(channels, "channels")
        self.eps: float = eps
        if self.channels % self.groups:
            raise ValueError(f"groups: {groups} groups do not divide {channels} channels")
        self.weight: LazyArray | None
        self.bias: LazyArray | None
        self.weight, self.bias = _affine((self.channels,), affine, dtype)

    def __call__(self, x: Operand) -> LazyArray:
        x = floating(x, "GroupNorm: x")
        if x.shape[-1:] != (self.channels,):
            raise ValueError(f"GroupNorm: x must have {self.channels} channels along its last axis, its shape is "
                             f"{x.shape}")
        return group_norm(x, self.groups, self.weight, self.bias, eps=self.eps)


def _affine(
    shape: tuple[int, ...], wanted: bool, dtype: "np.typing.DTypeLike"
) -> tuple[LazyArray, LazyArray] | tuple[None, None]:
    """Return a weight of ones and a bias of zeros, or None for both."""
    if not wanted:
        return None, None
    return (initialisers.parameter(initialisers.ones, shape, None, dtype, "weight"),
            initialisers.parameter(initialisers.zeros, shape, None, dtype, "bias"))
