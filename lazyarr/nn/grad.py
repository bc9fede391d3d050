"""Gradients of the functions in `lazyarr.nn` with respect to their inputs and weights, given that of the result, `g`.

A convolution is linear in its input and in its weights; each gradient is the transpose of one of these maps. Complex
numbers are not conjugated: for the adjoint, conjugate arguments and result.

Linear functions need only the shape of the input. Gradients of pooling and upsampling have g's dtype, float64 for
integers, and do not depend on the number of threads.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, SupportsIndex

from lazyarr._core.api import LazyArray
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.nn.docstrings import documented, of_each_rank
from lazyarr.nn.functional.conv import Operand, Padding, Shape, Sizes
from lazyarr.ops import convolution, pooling

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight",
    "max_pool1d", "max_pool2d", "max_pool3d", "upsample",
]

_OF_CONV = """g : array_like
    [batch, {result_space}, K], the gradient for the result of the convolution.
stride, padding, dilation, groups
    Those of the convolution; see `lazyarr.nn.conv{rank}d`.

Returns
-------
LazyArray
    Of the shape given.

Raises
------
ValueError
    Where the convolution raises it, and for a `g` that has not the shape of its result.
TypeError
    For arguments that are not integers, and arrays that are not numeric.
"""


@of_each_rank(rest=_OF_CONV)
def conv_nd_input(input_shape: Shape, w: Operand, g: Operand, *, _rank: int = 0, stride: Sizes = 1,
                  padding: Padding = 0, dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """Compute the gradient of `conv{rank}d` with respect to its input.

    Parameters
    ----------
    input_shape : tuple of int
        [batch, {space}, C].
    w : array_like
        [{taps}, C / groups, K].
    {rest}

    Examples
    --------
    >>> g = la.ones((1, {2s}, 5))
    >>> la.nn.grad.conv{rank}d_input((1, {4s}, 3), la.ones(({3s}, 3, 5)), g).shape
    (1, {4s}, 3)
    """
    return convolution.input_gradient(_rank, input_shape, w, g, stride, padding, dilation, groups)


@of_each_rank(rest=_OF_CONV)
def conv_nd_weight(x: Operand, weight_shape: Shape, g: Operand, *, _rank: int = 0, stride: Sizes = 1,
                   padding: Padding = 0, dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """Compute the gradient of `conv{rank}d` with respect to its weights.

    Parameters
    ----------
    x : array_like
        [batch, {space}, C].
    weight_shape : tuple of int
        [{taps}, C / groups, K].
    {rest}

    Examples
    --------
    >>> x, g = la.ones((1, {4s}, 3)), la.ones((1, {2s}, 5))
    >>> la.nn.grad.conv{rank}d_weight(x, ({3s}, 3, 5), g).shape
    ({3s}, 3, 5)
    """
    return convolution.weight_gradient(_rank, x, weight_shape, g, stride, padding, dilation, groups)


conv1d_input, conv2d_input, conv3d_input = conv_nd_input
conv1d_weight, conv2d_weight, conv3d_weight = conv_nd_weight


# ---- pooling and upsampling ------------------------------------------------------------------------------

_OF_POOLING = """
Returns
-------
LazyArray

Raises
------
ValueError
    As in the function, or if g has not the shape of its result.
TypeError
    As in the function.
"""


@of_each_rank(result=_OF_POOLING)
def adaptive_avg_pool_nd(input_shape: Shape, g: Operand, *, _rank: int = 0) -> LazyArray:
    """Compute the gradient of `lazyarr.nn.adaptive_avg_pool{rank}d` with respect to its input.

    Parameters
    ----------
    input_shape : tuple of int
        [B, {space}, C]
    g : array_like
        [B, {result_space}, C]; its shape defines the output size.

    {result}

    Examples
    --------
    >>> la.nn.grad.adaptive_avg_pool{rank}d((1, {4s}, 2), la.ones((1, {2s}, 2))).shape
    (1, {4s}, 2)
    """
    return pooling.adaptive_avg_pool_gradient(_rank, input_shape, g)


@of_each_rank(result=_OF_POOLING)
def avg_pool_nd(input_shape: Shape, g: Operand, window: Sizes, *, _rank: int = 0, stride: Sizes | None = None,
                padding: Sizes = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> LazyArray:
    """Compute the gradient of `lazyarr.nn.avg_pool{rank}d` with respect to its input.

    Parameters
    ----------
    input_shape : tuple of int
        [B, {space}, C]
    g : array_like
        [B, {result_space}, C]
    window, stride, padding, ceil_mode, count_include_pad
        As in the function.

    {result}

    Examples
    --------
    >>> la.nn.grad.avg_pool{rank}d((1, {4s}, 2), la.ones((1, {2s}, 2)), 2).shape
    (1, {4s}, 2)
    """
    return pooling.avg_pool_gradient(_rank, input_shape, g, window, stride, padding, ceil_mode, count_include_pad)


@of_each_rank(result=_OF_POOLING)
def max_pool_nd(x: Operand, g: Operand, window: Sizes, *, _rank: int = 0, stride: Sizes | None = None,
                padding: Sizes = 0, dilation: Sizes = 1, ceil_mode: bool = False) -> LazyArray:
    """Compute the gradient of `lazyarr.nn.max_pool{rank}d` with respect to its input.

    Each window's g goes to its first maximum in C order.

    Parameters
    ----------
    x : array_like
        [B, {space}, C]
    g : array_like
        [B, {result_space}, C]
    window, stride, padding, dilation, ceil_mode
        As in the function. NaN is a maximum; contributions of several windows to a pixel are summed.

    {result}

    Examples
    --------
    >>> x = la.arange(2.0**{rank}).reshape(1, {2s}, 1)
    >>> la.nn.grad.max_pool{rank}d(x, la.ones((1, {1s}, 1)), 2).ravel()[-1]
    np.float64(1.0)
    """
    return pooling.max_pool_gradient(_rank, x, g, window, stride, padding, dilation, ceil_mode)


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = adaptive_avg_pool_nd
avg_pool1d, avg_pool2d, avg_pool3d = avg_pool_nd
max_pool1d, max_pool2d, max_pool3d = max_pool_nd


@api_boundary
@documented(_OF_POOLING)
def upsample(input_shape: Shape, g: Operand, scale: float | Sequence[float],
             mode: Literal["nearest", "linear"] = "nearest", *, align_corners: bool = False) -> LazyArray:
    """Compute the gradient of `lazyarr.nn.upsample` with respect to its input.

    Parameters
    ----------
    input_shape : tuple of int
        [B, W, C], [B, H, W, C] or [B, D, H, W, C].
    g : array_like
        Of the shape of the result.
    scale, mode, align_corners
        As in the function.

    Examples
    --------
    >>> la.nn.grad.upsample((1, 2, 1), la.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 4, 1), 2).ravel()
    array([3., 7.])
    """
    return pooling.upsample_gradient(input_shape, g, scale, mode, align_corners)
