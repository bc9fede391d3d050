"""Convolutions, their transposes and patches, channels last.

All of it is lazy: shapes and dtypes are known at once, and wrong arguments are rejected where they are given. A bias is
added with ``+``. The dtype of a result is that of NumPy's promotion; float16 is computed in float32 and rounded once,
small integers wrap as NumPy's do, and sums of bools are any-of-and, as in `numpy.matmul`. The values around an input
count as zeros, and so do those around ``x`` of a transposed convolution: where they meet a weight that is infinite or
NaN, the result is NaN. Overflow and invalid values are reported as `np.errstate` says, in the name of the function, as
for `numpy.matmul`. Sums of float32 over 3 x 3 taps may be computed by Winograd's method, with errors bounded by the
largest elements nearby; `la.config.exact` selects plain summation.

Gradients are in `lazyarr.nn.grad`.
"""
from __future__ import annotations

from typing import SupportsIndex

from lazyarr._core.api import LazyArray
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.nn.annotations import Operand, Padding, Shape, Sizes
from lazyarr.nn.docstrings import of_each_rank
from lazyarr.ops import convolution, windows


@of_each_rank()
def conv_nd(x: Operand, w: Operand, *, _rank: int = 0, stride: Sizes = 1, padding: Padding = 0, dilation: Sizes = 1,
            groups: SupportsIndex = 1) -> LazyArray:
    """Convolution over {axes}, in the sense of neural networks: the weights are not turned round.

    Parameters
    ----------
    x : array_like
        [batch, {space}, C].
    w : array_like
        [{taps}, C / groups, K].
    stride : int or sequence of int, optional
        From one window to the next, for all spatial axes or for each.
    padding : int, sequence, {"valid", "same"}, optional
        Zeros around: one number, one for each axis, or for each axis a pair (before, after). "valid" is 0. "same"
        gives ceil(extent / stride) windows; where the padding is odd, there is one zero more after than before.
    dilation : int or sequence of int, optional
        From one tap of a window to the next.
    groups : int, optional
        Parts into which the channels of x and the columns of w are cut; each part of the columns sees its part of
        the channels. With as many groups as channels the convolution is depthwise.

    Returns
    -------
    LazyArray
        [batch, {result_space}, K], the extents (extent + padding - (taps - 1) * dilation - 1) // stride + 1.

    Raises
    ------
    ValueError
        For a wrong number of axes, a stride, dilation or number of groups that is not positive, groups that do not
        divide C and K, channels that do not fit, or a window larger than the padded input.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    See Also
    --------
    conv_transpose{rank}d, lazyarr.nn.grad.conv{rank}d_input, lazyarr.nn.grad.conv{rank}d_weight

    Examples
    --------
    >>> la.nn.conv{rank}d(la.ones((1, {4s}, 3)), la.ones(({3s}, 3, 6)), stride=2, padding="same").shape
    (1, {2s}, 6)
    """
    return convolution.convolve(_rank, x, w, stride, padding, dilation, groups)


@of_each_rank()
def conv_transpose_nd(x: Operand, w: Operand, *, _rank: int = 0, stride: Sizes = 1, padding: Padding = 0,
                      output_padding: Sizes = 0, dilation: Sizes = 1, groups: SupportsIndex = 1) -> LazyArray:
    """Transposed convolution: the transpose of the linear map ``z -> conv{rank}d(z, w, ...)``, without conjugation.

    Parameters
    ----------
    x : array_like
        [batch, {space}, K], like a result of that convolution.
    w : array_like
        [{taps}, C / groups, K], the weights of that convolution: the channels of this result come before those of
        x.
    stride, dilation : int or sequence of int, optional
        Those of the convolution, for all spatial axes or for each.
    padding : int, sequence, {"valid", "same"}, optional
        That of the convolution, which is cut off here: one number, one for each axis, or for each axis a pair
        (before, after). "valid" is 0; with "same" the extents are multiplied by the stride.
    output_padding : int or sequence of int, optional
        How much longer the result is at the end of each axis: with a stride, convolutions of inputs of several
        extents have results of one. Smaller than the stride or the dilation.
    groups : int, optional
        That of the convolution.

    Returns
    -------
    LazyArray
        [batch, {result_space}, C], the extents
        (extent - 1) * stride + (taps - 1) * dilation + 1 - padding + output_padding.

    Raises
    ------
    ValueError
        For a wrong number of axes, a stride, dilation or number of groups that is not positive, groups that do not
        divide K, columns of w that are not the channels of x, a padding that leaves nothing, or an output_padding
        that is too large.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    See Also
    --------
    lazyarr.nn.grad.conv{rank}d_input : the same map, for an input of a given shape

    Examples
    --------
    >>> la.nn.conv_transpose{rank}d(la.ones((1, {2s}, 3)), la.ones(({2s}, 4, 3)), stride=2).shape
    (1, {4s}, 4)
    """
    return convolution.transpose(_rank, x, w, stride, padding, output_padding, dilation, groups)


conv1d, conv2d, conv3d = conv_nd
conv_transpose1d, conv_transpose2d, conv_transpose3d = conv_transpose_nd


@api_boundary
def im2col(x: Operand, window: Shape, *, stride: Sizes = 1, padding: Padding = 0, dilation: Sizes = 1) -> LazyArray:
    """The patches of an array: what lies under each window, as one row.

    Parameters
    ----------
    x : array_like
        [batch, n0, ..., C], with one to three spatial axes.
    window : sequence of int
        The taps of a window along each spatial axis.
    stride, padding, dilation
        As for `conv2d`.

    Returns
    -------
    LazyArray
        [batch, m0, ..., taps * C]: for two axes in the order [R, S, C]. Of the dtype of x.

    Raises
    ------
    ValueError
        For a wrong number of axes, a stride or dilation that is not positive, or a window larger than the padded input.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    See Also
    --------
    col2im : its transpose

    Examples
    --------
    >>> x = la.arange(9).reshape(1, 3, 3, 1)
    >>> la.nn.im2col(x, (2, 2))[0]
    array([[[0, 1, 3, 4],
            [1, 2, 4, 5]],
           [[3, 4, 6, 7],
            [4, 5, 7, 8]]])
    """
    return windows.patches(x, window, stride, padding, dilation)


@api_boundary
def col2im(cols: Operand, input_shape: Shape, window: Shape, *, stride: Sizes = 1, padding: Padding = 0,
           dilation: Sizes = 1) -> LazyArray:
    """The transpose of `im2col`: for each element of the input, the sum of the places to which it was copied.

    Parameters
    ----------
    cols : array_like
        [batch, m0, ..., taps * C].
    input_shape : tuple of int
        [batch, n0, ..., C], the shape of the array that `im2col` would have patches like these of.
    window, stride, padding, dilation
        As for `im2col`.

    Returns
    -------
    LazyArray
        Of shape `input_shape` and the dtype of `cols`.

    Raises
    ------
    ValueError
        As for `im2col`, and for patches of another shape.
    TypeError
        For arguments that are no integers, and arrays that are not numeric.

    See Also
    --------
    im2col : its transpose

    Examples
    --------
    How many windows each element is in:

    >>> patches = la.nn.im2col(la.ones((1, 3, 3, 1), int), (2, 2))
    >>> la.nn.col2im(patches, (1, 3, 3, 1), (2, 2))[0, :, :, 0]
    array([[1, 2, 1],
           [2, 4, 2],
           [1, 2, 1]])
    """
    return windows.sum_patches(cols, input_shape, window, stride, padding, dilation)
