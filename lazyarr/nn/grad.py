"""Gradients of the functions in `lazyarr.nn` for their inputs and weights.

A convolution is linear in its input and in its weights. Each function here is the transpose of one of the maps. Of
complex numbers none is conjugated: who wants the adjoint conjugates arguments and result.

Pooling and upsampling lead from the gradient of the result, g, to that of the input. What is linear needs the shape of
the input only. Gradients have g's dtype, float64 where it holds integers, and are the same for any number of threads.
"""
from __future__ import annotations

from typing import Protocol, SupportsIndex

from lazyarr._core.api import LazyArray
from lazyarr.nn.docstrings import documented
from lazyarr.nn.functional.conv import Operand, Padding, Shape, Sizes
from lazyarr.nn.functional.ranks import of_each_rank
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
    For arguments that are no integers, and arrays that are not numeric.
"""


class _Input(Protocol):
    def __call__(self, input_shape: Shape, w: Operand, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                 dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray: ...


class _Weight(Protocol):
    def __call__(self, x: Operand, weight_shape: Shape, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                 dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray: ...


@of_each_rank(
    """
    >>> g = la.array([[[1.0], [2.0]]])
    >>> la.nn.grad.conv1d_input((1, 3, 1), la.array([[[1.0]], [[10.0]]]), g)[0, :, 0]
    array([ 1., 12., 20.])
    """,
    """
    >>> g = la.ones((1, 2, 2, 1))
    >>> la.nn.grad.conv2d_input((1, 3, 3, 1), la.ones((2, 2, 1, 1)), g)[0, :, :, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """,
    """
    >>> g = la.ones((1, 1, 1, 2, 1))
    >>> la.nn.grad.conv3d_input((1, 1, 1, 3, 1), la.ones((1, 1, 2, 1, 1)), g)
    array([[[[[1.],
              [2.],
              [1.]]]]])
    """, rest=_OF_CONV)
def _input(rank: int) -> _Input:
    def conv_nd_input(input_shape: Shape, w: Operand, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                      dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
        """The gradient of `conv{rank}d` for its input.

        Parameters
        ----------
        input_shape : tuple of int
            [batch, {space}, C].
        w : array_like
            [{taps}, C / groups, K].
        {rest}
        """
        return convolution.input_gradient(rank, input_shape, w, g, stride, padding, dilation, groups)

    return conv_nd_input


@of_each_rank(
    """
    >>> x, g = la.array([[[1.0], [2.0], [4.0]]]), la.array([[[1.0], [10.0]]])
    >>> la.nn.grad.conv1d_weight(x, (2, 1, 1), g)[:, 0, 0]
    array([21., 42.])
    """,
    """
    >>> x = la.arange(9.0).reshape(1, 3, 3, 1)
    >>> la.nn.grad.conv2d_weight(x, (2, 2, 1, 1), la.ones((1, 2, 2, 1)))[:, :, 0, 0]
    array([[ 8., 12.],
           [20., 24.]])
    """,
    """
    >>> x, g = la.ones((1, 2, 2, 2, 3)), la.ones((1, 2, 2, 2, 4))
    >>> la.nn.grad.conv3d_weight(x, (3, 3, 3, 3, 4), g, padding=1).shape
    (3, 3, 3, 3, 4)
    """, rest=_OF_CONV)
def _weight(rank: int) -> _Weight:
    def conv_nd_weight(x: Operand, weight_shape: Shape, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                       dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
        """The gradient of `conv{rank}d` for its weights.

        Parameters
        ----------
        x : array_like
            [batch, {space}, C].
        weight_shape : tuple of int
            [{taps}, C / groups, K].
        {rest}
        """
        return convolution.weight_gradient(rank, x, weight_shape, g, stride, padding, dilation, groups)

    return conv_nd_weight


conv1d_input, conv2d_input, conv3d_input = _input
conv1d_weight, conv2d_weight, conv3d_weight = _weight


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


@of_each_rank(
    """
    >>> la.nn.grad.adaptive_avg_pool1d((1, 3, 1), la.ones((1, 2, 1))).ravel()
    array([0.5, 1. , 0.5])
    """,
    """
    >>> la.nn.grad.adaptive_avg_pool2d((1, 2, 2, 1), la.ones((1, 1, 1, 1))).ravel()
    array([0.25, 0.25, 0.25, 0.25])
    """,
    """
    >>> la.nn.grad.adaptive_avg_pool3d((1, 1, 1, 2, 1), la.ones((1, 1, 1, 4, 1))).ravel()
    array([2., 2.])
    """, result=_OF_POOLING)
def _adaptive_avg_pool(rank):
    def adaptive_avg_pool_nd(input_shape, g):
        """The gradient of `lazyarr.nn.adaptive_avg_pool{rank}d` for its input.

        Parameters
        ----------
        input_shape : tuple of int
            [B, {space}, C]
        g : array_like
            [B, {result_space}, C]; its shape gives the output size.

        {result}
        """
        return pooling.adaptive_avg_pool_gradient(rank, input_shape, g)

    return adaptive_avg_pool_nd


@of_each_rank(
    """
    >>> la.nn.grad.avg_pool1d((1, 4, 1), la.array([2.0, 6.0]).reshape(1, 2, 1), 2).ravel()
    array([1., 1., 3., 3.])
    """,
    """
    >>> la.nn.grad.avg_pool2d((1, 2, 2, 1), la.ones((1, 1, 1, 1)), 2).ravel()
    array([0.25, 0.25, 0.25, 0.25])
    """,
    """
    >>> la.nn.grad.avg_pool3d((1, 1, 2, 2, 1), la.ones((1, 1, 1, 2, 1)), (1, 2, 1)).ravel()
    array([0.5, 0.5, 0.5, 0.5])
    """, result=_OF_POOLING)
def _avg_pool(rank):
    def avg_pool_nd(input_shape, g, window, *, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        """The gradient of `lazyarr.nn.avg_pool{rank}d` for its input.

        Parameters
        ----------
        input_shape : tuple of int
            [B, {space}, C]
        g : array_like
            [B, {result_space}, C]
        window, stride, padding, ceil_mode, count_include_pad
            As in the function.

        {result}
        """
        return pooling.avg_pool_gradient(rank, input_shape, g, window, stride, padding, ceil_mode, count_include_pad)

    return avg_pool_nd


@of_each_rank(
    """
    >>> x = la.array([1.0, 3.0, 3.0]).reshape(1, 3, 1)
    >>> la.nn.grad.max_pool1d(x, la.ones((1, 2, 1)), 2, stride=1).ravel()
    array([0., 2., 0.])
    """,
    """
    >>> x = la.arange(4.0).reshape(1, 2, 2, 1)
    >>> la.nn.grad.max_pool2d(x, la.full((1, 1, 1, 1), 5.0), 2).ravel()
    array([0., 0., 0., 5.])
    """,
    """
    >>> x = la.arange(8.0).reshape(1, 2, 2, 2, 1)
    >>> la.nn.grad.max_pool3d(x, la.ones((1, 1, 1, 1, 1)), 2).ravel()
    array([0., 0., 0., 0., 0., 0., 0., 1.])
    """, result=_OF_POOLING)
def _max_pool(rank):
    def max_pool_nd(x, g, window, *, stride=None, padding=0, dilation=1, ceil_mode=False):
        """The gradient of `lazyarr.nn.max_pool{rank}d` for its input.

        Each window's g goes to its first maximum in C order.

        Parameters
        ----------
        x : array_like
            [B, {space}, C]
        g : array_like
            [B, {result_space}, C]
        window, stride, padding, dilation, ceil_mode
            As in the function. NaN is a maximum; what several windows give to a pixel is added up.

        {result}
        """
        return pooling.max_pool_gradient(rank, x, g, window, stride, padding, dilation, ceil_mode)

    return max_pool_nd


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = _adaptive_avg_pool
avg_pool1d, avg_pool2d, avg_pool3d = _avg_pool
max_pool1d, max_pool2d, max_pool3d = _max_pool


@documented(_OF_POOLING)
def upsample(input_shape, g, scale, mode="nearest", *, align_corners=False):
    """The gradient of `lazyarr.nn.upsample` for its input.

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
