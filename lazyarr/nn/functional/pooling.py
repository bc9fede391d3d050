"""Pooling and upsampling, channels last: x is [B, W, C], [B, H, W, C] or [B, D, H, W, C].

Windows follow PyTorch's rules, including `ceil_mode` and padding. Everything is lazy; gradients are in
`lazyarr.nn.grad`. Floats and complex numbers keep their dtype, means of integers are float64 as in NumPy, and half
precision is computed in single precision. A window's sum that overflows is inf, without a warning.
"""
from collections.abc import Sequence
from typing import Literal, TypeAlias

from lazyarr._core.api import LazyArray
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.nn.annotations import Operand, Sizes
from lazyarr.nn.docstrings import of_each_rank
from lazyarr.ops import pooling

Scale: TypeAlias = float | Sequence[float]
Mode: TypeAlias = Literal["nearest", "linear"]

_RESULT = """
Returns
-------
LazyArray
    [B, {result_space}, C]

Raises
------
ValueError
    For sizes that are not positive, too much padding, a window that does not fit, or a shape with other than {ndim}
    axes or an empty spatial one.
TypeError
    For sizes that are not integers, or an array of another kind.
"""


@of_each_rank(result=_RESULT)
def adaptive_avg_pool_nd(x: Operand, output_size: Sizes, *, _rank: int = 0) -> LazyArray:
    """Compute means over `output_size` windows of nearly equal size that cover the input, over {axes}.

    Parameters
    ----------
    x : array_like
        [B, {space}, C], of numbers.
    output_size : {size}
        The number of windows along each axis. Window i has the elements from floor(i * n / size) up to
        ceil((i + 1) * n / size).

    {result}

    Examples
    --------
    >>> la.nn.adaptive_avg_pool{rank}d(la.ones((1, {5s}, 2)), 3).shape
    (1, {3s}, 2)
    """
    return pooling.adaptive_avg_pool(_rank, x, output_size)


@of_each_rank(result=_RESULT)
def avg_pool_nd(x: Operand, window: Sizes, *, _rank: int = 0, stride: Sizes | None = None, padding: Sizes = 0,
                ceil_mode: bool = False, count_include_pad: bool = True) -> LazyArray:
    """Compute the mean of each window, over {axes}.

    Parameters
    ----------
    x : array_like
        [B, {space}, C], of numbers.
    window : {size}
        Pixels along each axis.
    stride : {size}, optional
        Pixels from one window to the next; the window by default.
    padding : {size}, optional
        The number of zeros at each edge, at most half a window.
    ceil_mode : bool, optional
        Whether a last window may reach over the end; it begins within the input or the padding before it.
    count_include_pad : bool, optional
        Whether padding counts in the divisor.

    {result}

    Examples
    --------
    >>> la.nn.avg_pool{rank}d(la.ones((1, {4s}, 2)), 2).shape
    (1, {2s}, 2)
    >>> la.nn.avg_pool{rank}d(la.ones((1, {4s}, 2)), 2, padding=1, count_include_pad=False).min()
    np.float64(1.0)
    """
    return pooling.avg_pool(_rank, x, window, stride, padding, ceil_mode, count_include_pad)


@of_each_rank(result=_RESULT)
def max_pool_nd(x: Operand, window: Sizes, *, _rank: int = 0, stride: Sizes | None = None, padding: Sizes = 0,
                dilation: Sizes = 1, ceil_mode: bool = False) -> LazyArray:
    """Compute the maximum of each window, NaN if it has one, over {axes}.

    Parameters
    ----------
    x : array_like
        [B, {space}, C], of real numbers.
    window : {size}
        Pixels along each axis.
    stride : {size}, optional
        Pixels from one window to the next; the window by default.
    padding : {size}, optional
        The number of elements at each edge, at most half a window, that are smaller than any number.
    dilation : {size}, optional
        Pixels from one tap of a window to the next.
    ceil_mode : bool, optional
        Whether a last window may reach over the end; it begins within the input or the padding before it.

    {result}

    Examples
    --------
    >>> x = la.arange(4.0**{rank}).reshape(1, {4s}, 1)
    >>> la.nn.max_pool{rank}d(x, 2).shape
    (1, {2s}, 1)
    >>> la.nn.max_pool{rank}d(x, 4).item() == x.max()
    np.True_
    """
    return pooling.max_pool(_rank, x, window, stride, padding, dilation, ceil_mode)


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = adaptive_avg_pool_nd
avg_pool1d, avg_pool2d, avg_pool3d = avg_pool_nd
max_pool1d, max_pool2d, max_pool3d = max_pool_nd


@api_boundary
def upsample(x: Operand, scale: Scale, mode: Mode = "nearest", *, align_corners: bool = False) -> LazyArray:
    """Enlarge one to three spatial axes by repetition or linear interpolation.

    Parameters
    ----------
    x : array_like
        [B, W, C], [B, H, W, C] or [B, D, H, W, C].
    scale : float or tuple of float
        The factor for each spatial axis; n pixels become floor(n * scale).
    mode : {"nearest", "linear"}, optional
        "nearest" takes pixel floor(i / scale) for position i. "linear", which is bilinear over two axes and trilinear
        over three, interpolates at (i + 0.5) / scale - 0.5, clipped to the first and last pixel. Pixels of weight zero
        do not count, even if NaN.
    align_corners : bool, optional
        With "linear", whether the first and last positions are exactly the first and last pixels.

    Returns
    -------
    LazyArray
        Of x's dtype; linearly interpolated integers are float64.

    Raises
    ------
    ValueError
        For a scale that is not positive or leaves nothing, an unknown mode, or a shape with an empty spatial axis or
        other than one to three of them.
    TypeError
        For a scale that is no number, or an array that is not numeric.

    Examples
    --------
    >>> x = la.array([[0.0], [4.0]])[None]
    >>> la.nn.upsample(x, 2).ravel()
    array([0., 0., 4., 4.])
    >>> la.nn.upsample(x, 2, "linear").ravel()
    array([0., 1., 3., 4.])
    """
    return pooling.upsample(x, scale, mode, align_corners)
