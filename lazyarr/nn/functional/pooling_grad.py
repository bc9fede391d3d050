"""Gradients of pooling and upsampling: from that of the result, g, to that of the input.

Those of linear functions are their transposes, and need the shape of the input only. Gradients have g's dtype, float64
where it holds integers, and are the same for any number of threads.
"""
from lazyarr.nn.docstrings import documented, documented_by_rank
from lazyarr.ops import pooling

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d",
    "avg_pool1d", "avg_pool2d", "avg_pool3d",
    "max_pool1d", "max_pool2d", "max_pool3d",
    "upsample",
]

_RESULT = """
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

_ADAPTIVE_AVG = """
Parameters
----------
input_shape : tuple of int
    [B, {space}, C]
g : array_like
    [B, {result_space}, C]; its shape gives the output size.
""" + _RESULT

_AVG = """
Parameters
----------
input_shape : tuple of int
    [B, {space}, C]
g : array_like
    [B, {result_space}, C]
window, stride, padding, ceil_mode, count_include_pad
    As in the function.
""" + _RESULT

_MAX = """
Parameters
----------
x : array_like
    [B, {space}, C]
g : array_like
    [B, {result_space}, C]
window, stride, padding, dilation, ceil_mode
    As in the function. NaN is a maximum; what several windows give to a pixel is added up.
""" + _RESULT


@documented_by_rank(1, _ADAPTIVE_AVG)
def adaptive_avg_pool1d(input_shape, g):
    """The gradient of `lazyarr.nn.adaptive_avg_pool1d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.grad.adaptive_avg_pool1d((1, 3, 1), la.ones((1, 2, 1))).ravel()
    array([0.5, 1. , 0.5])
    """
    return pooling.adaptive_avg_pool_gradient(1, input_shape, g)


@documented_by_rank(2, _ADAPTIVE_AVG)
def adaptive_avg_pool2d(input_shape, g):
    """The gradient of `lazyarr.nn.adaptive_avg_pool2d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.grad.adaptive_avg_pool2d((1, 2, 2, 1), la.ones((1, 1, 1, 1))).ravel()
    array([0.25, 0.25, 0.25, 0.25])
    """
    return pooling.adaptive_avg_pool_gradient(2, input_shape, g)


@documented_by_rank(3, _ADAPTIVE_AVG)
def adaptive_avg_pool3d(input_shape, g):
    """The gradient of `lazyarr.nn.adaptive_avg_pool3d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.grad.adaptive_avg_pool3d((1, 1, 1, 2, 1), la.ones((1, 1, 1, 4, 1))).ravel()
    array([2., 2.])
    """
    return pooling.adaptive_avg_pool_gradient(3, input_shape, g)


@documented_by_rank(1, _AVG)
def avg_pool1d(input_shape, g, window, *, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The gradient of `lazyarr.nn.avg_pool1d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.grad.avg_pool1d((1, 4, 1), la.array([2.0, 6.0]).reshape(1, 2, 1), 2).ravel()
    array([1., 1., 3., 3.])
    """
    return pooling.avg_pool_gradient(1, input_shape, g, window, stride, padding, ceil_mode, count_include_pad)


@documented_by_rank(2, _AVG)
def avg_pool2d(input_shape, g, window, *, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The gradient of `lazyarr.nn.avg_pool2d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.grad.avg_pool2d((1, 2, 2, 1), la.ones((1, 1, 1, 1)), 2).ravel()
    array([0.25, 0.25, 0.25, 0.25])
    """
    return pooling.avg_pool_gradient(2, input_shape, g, window, stride, padding, ceil_mode, count_include_pad)


@documented_by_rank(3, _AVG)
def avg_pool3d(input_shape, g, window, *, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The gradient of `lazyarr.nn.avg_pool3d` for its input.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.nn.grad.avg_pool3d((1, 1, 2, 2, 1), la.ones((1, 1, 1, 2, 1)), (1, 2, 1)).ravel()
    array([0.5, 0.5, 0.5, 0.5])
    """
    return pooling.avg_pool_gradient(3, input_shape, g, window, stride, padding, ceil_mode, count_include_pad)


@documented_by_rank(1, _MAX)
def max_pool1d(x, g, window, *, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The gradient of `lazyarr.nn.max_pool1d` for its input: each window's g goes to its first maximum in C order.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.array([1.0, 3.0, 3.0]).reshape(1, 3, 1)
    >>> la.nn.grad.max_pool1d(x, la.ones((1, 2, 1)), 2, stride=1).ravel()
    array([0., 2., 0.])
    """
    return pooling.max_pool_gradient(1, x, g, window, stride, padding, dilation, ceil_mode)


@documented_by_rank(2, _MAX)
def max_pool2d(x, g, window, *, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The gradient of `lazyarr.nn.max_pool2d` for its input: each window's g goes to its first maximum in C order.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(4.0).reshape(1, 2, 2, 1)
    >>> la.nn.grad.max_pool2d(x, la.full((1, 1, 1, 1), 5.0), 2).ravel()
    array([0., 0., 0., 5.])
    """
    return pooling.max_pool_gradient(2, x, g, window, stride, padding, dilation, ceil_mode)


@documented_by_rank(3, _MAX)
def max_pool3d(x, g, window, *, stride=None, padding=0, dilation=1, ceil_mode=False):
    """The gradient of `lazyarr.nn.max_pool3d` for its input: each window's g goes to its first maximum in C order.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(8.0).reshape(1, 2, 2, 2, 1)
    >>> la.nn.grad.max_pool3d(x, la.ones((1, 1, 1, 1, 1)), 2).ravel()
    array([0., 0., 0., 0., 0., 0., 0., 1.])
    """
    return pooling.max_pool_gradient(3, x, g, window, stride, padding, dilation, ceil_mode)


@documented(_RESULT)
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
    >>> import lazyarr as la
    >>> la.nn.grad.upsample((1, 2, 1), la.array([1.0, 2.0, 3.0, 4.0]).reshape(1, 4, 1), 2).ravel()
    array([3., 7.])
    """
    return pooling.upsample_gradient(input_shape, g, scale, mode, align_corners)
