"""Gradients of convolutions.

A convolution is linear in its input and in its weights. Each of these functions is the transpose of one of the maps.
Of complex numbers none is conjugated: who wants the adjoint conjugates arguments and result.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from lazyarr.nn.docstrings import documented_by_rank
from lazyarr.ops import convolution as _convolution

if TYPE_CHECKING:
    from typing import SupportsIndex

    from lazyarr._core.frontend.lazy_array import LazyArray, Operand
    from lazyarr.nn.functional.conv import Padding, Shape, Sizes

__all__ = ["conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input", "conv3d_weight"]

_REST = """g : array_like
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

_INPUT = """
Parameters
----------
input_shape : tuple of int
    [batch, {space}, C].
w : array_like
    [{taps}, C / groups, K].
""" + _REST

_WEIGHT = """
Parameters
----------
x : array_like
    [batch, {space}, C].
weight_shape : tuple of int
    [{taps}, C / groups, K].
""" + _REST


@documented_by_rank(1, _INPUT)
def conv1d_input(input_shape: Shape, w: Operand, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                 dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """The gradient of `conv1d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> g = la.array([[[1.0], [2.0]]])
    >>> la.nn.grad.conv1d_input((1, 3, 1), la.array([[[1.0]], [[10.0]]]), g)[0, :, 0]
    array([ 1., 12., 20.])
    """
    return _convolution.input_gradient(1, input_shape, w, g, stride, padding, dilation, groups)


@documented_by_rank(1, _WEIGHT)
def conv1d_weight(x: Operand, weight_shape: Shape, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                  dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """The gradient of `conv1d` for its weights.

    Examples
    --------
    >>> import lazyarr as la
    >>> x, g = la.array([[[1.0], [2.0], [4.0]]]), la.array([[[1.0], [10.0]]])
    >>> la.nn.grad.conv1d_weight(x, (2, 1, 1), g)[:, 0, 0]
    array([21., 42.])
    """
    return _convolution.weight_gradient(1, x, weight_shape, g, stride, padding, dilation, groups)


@documented_by_rank(2, _INPUT)
def conv2d_input(input_shape: Shape, w: Operand, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                 dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """The gradient of `conv2d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> g = la.ones((1, 2, 2, 1))
    >>> la.nn.grad.conv2d_input((1, 3, 3, 1), la.ones((2, 2, 1, 1)), g)[0, :, :, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    return _convolution.input_gradient(2, input_shape, w, g, stride, padding, dilation, groups)


@documented_by_rank(2, _WEIGHT)
def conv2d_weight(x: Operand, weight_shape: Shape, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                  dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """The gradient of `conv2d` for its weights.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(9.0).reshape(1, 3, 3, 1)
    >>> la.nn.grad.conv2d_weight(x, (2, 2, 1, 1), la.ones((1, 2, 2, 1)))[:, :, 0, 0]
    array([[ 8., 12.],
           [20., 24.]])
    """
    return _convolution.weight_gradient(2, x, weight_shape, g, stride, padding, dilation, groups)


@documented_by_rank(3, _INPUT)
def conv3d_input(input_shape: Shape, w: Operand, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                 dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """The gradient of `conv3d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> g = la.ones((1, 1, 1, 2, 1))
    >>> la.nn.grad.conv3d_input((1, 1, 1, 3, 1), la.ones((1, 1, 2, 1, 1)), g)
    array([[[[[1.],
              [2.],
              [1.]]]]])
    """
    return _convolution.input_gradient(3, input_shape, w, g, stride, padding, dilation, groups)


@documented_by_rank(3, _WEIGHT)
def conv3d_weight(x: Operand, weight_shape: Shape, g: Operand, *, stride: Sizes = 1, padding: Padding = 0,
                  dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """The gradient of `conv3d` for its weights.

    Examples
    --------
    >>> import lazyarr as la
    >>> x, g = la.ones((1, 2, 2, 2, 3)), la.ones((1, 2, 2, 2, 4))
    >>> la.nn.grad.conv3d_weight(x, (3, 3, 3, 3, 4), g, padding=1).shape
    (3, 3, 3, 3, 4)
    """
    return _convolution.weight_gradient(3, x, weight_shape, g, stride, padding, dilation, groups)
