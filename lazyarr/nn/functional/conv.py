"""Convolutions, their transposes and patches, channels last.

Everything is lazy; shapes and dtypes are known at once, and invalid arguments raise at the call. Add a bias with ``+``.
Results have the dtype of NumPy's promotion. float16 is computed in float32 and rounded once, small integers wrap, and
sums of bools are logical, as in `numpy.matmul`. The padding of an input, and of ``x`` in a transposed convolution, is
zero: where it meets an infinite or NaN weight, the result is NaN. Overflow and invalid values are reported as
`np.errstate` says, in the name of the function, as for `numpy.matmul`. float32 convolutions with 3 x 3 taps may use
Winograd's algorithm, with errors bounded by the largest elements nearby; `la.config.exact` selects plain summation.

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
    """Compute a convolution over {axes}, as in neural networks: the weights are not flipped.

    Parameters
    ----------
    x : array_like
        [batch, {space}, C].
    w : array_like
        [{taps}, C / groups, K].
    stride : int or sequence of int, optional
        The step from one window to the next, for all spatial axes or for each.
    padding : int, sequence, {"valid", "same"}, optional
        The number of zeros around x: for all axes, for each axis, or a pair (before, after) for each axis. "valid" is
        0. "same" gives ceil(extent / stride) windows; if the padding is odd, there is one more zero after than before.
    dilation : int or sequence of int, optional
        The step from one tap of a window to the next.
    groups : int, optional
        The number of groups into which the channels of x and the columns of w are split; each group of columns is
        applied to its group of channels. With as many groups as channels the convolution is depthwise.

    Returns
    -------
    LazyArray
        [batch, {result_space}, K], with extents (extent + padding - (taps - 1) * dilation - 1) // stride + 1.

    Raises
    ------
    ValueError
        For a wrong number of axes, a stride, dilation or number of groups that is not positive, groups that do not
        divide C and K, channels that do not fit, or a window larger than the padded input.
    TypeError
        For arguments that are not integers, and arrays that are not numeric.

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
    """Compute a transposed convolution: the transpose of the linear map ``z -> conv{rank}d(z, w, ...)``, unconjugated.

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
        That of the convolution, which is removed from the result: for all axes, for each axis, or a pair (before,
        after) for each axis. "valid" is 0; with "same" the extents are multiplied by the stride.
    output_padding : int or sequence of int, optional
        The number of elements added at the end of each axis, less than the stride or the dilation. With a stride,
        inputs of different extents have convolutions of the same extent; this selects one of them.
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
        For arguments that are not integers, and arrays that are not numeric.

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
    """Extract the patches of an array: the elements of each window as one row.

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
        For arguments that are not integers, and arrays that are not numeric.

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
    """Sum patches into an array, the transpose of `im2col`: each element is the sum of its copies in the patches.

    Parameters
    ----------
    cols : array_like
        [batch, m0, ..., taps * C].
    input_shape : tuple of int
        [batch, n0, ..., C], the shape of the array whose patches `im2col` would extract.
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
        For arguments that are not integers, and arrays that are not numeric.

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
