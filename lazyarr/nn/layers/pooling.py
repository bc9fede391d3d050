"""Pooling, upsampling and flattening as layers, which have no parameters."""
import math

from lazyarr.nn.layers.base import Layer
from lazyarr.ops import pooling
from lazyarr.ops.arguments import operand, per_axis


class _MaxPool(Layer):
    axes = 0

    def __init__(self, window, *, stride=None, padding=0, dilation=1, ceil_mode=False):
        window = per_axis(window, self.axes, "window")
        self._options = (window, stride, padding, dilation, ceil_mode)

    def __call__(self, x):
        return pooling.max_pool(self.axes, x, *self._options)


class _AvgPool(Layer):
    axes = 0

    def __init__(self, window, *, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        window = per_axis(window, self.axes, "window")
        self._options = (window, stride, padding, ceil_mode, count_include_pad)

    def __call__(self, x):
        return pooling.avg_pool(self.axes, x, *self._options)


class MaxPool1d(_MaxPool):
    """The largest element of each window over one spatial axis; parameters and errors are those of `max_pool1d`.

    Examples
    --------
    >>> la.nn.MaxPool1d(2)(la.ones((5, 10, 3))).shape
    (5, 5, 3)
    """

    axes = 1


class MaxPool2d(_MaxPool):
    """The largest element of each window over two spatial axes; parameters and errors are those of `max_pool2d`.

    Examples
    --------
    >>> la.nn.MaxPool2d(2)(la.ones((5, 10, 10, 3))).shape
    (5, 5, 5, 3)
    """

    axes = 2


class MaxPool3d(_MaxPool):
    """The largest element of each window over three spatial axes; parameters and errors are those of `max_pool3d`.

    Examples
    --------
    >>> la.nn.MaxPool3d(2)(la.ones((5, 4, 4, 4, 3))).shape
    (5, 2, 2, 2, 3)
    """

    axes = 3


class AvgPool1d(_AvgPool):
    """The mean of each window over one spatial axis; parameters and errors are those of `avg_pool1d`.

    Examples
    --------
    >>> la.nn.AvgPool1d(2)(la.ones((5, 10, 3))).shape
    (5, 5, 3)
    """

    axes = 1


class AvgPool2d(_AvgPool):
    """The mean of each window over two spatial axes; parameters and errors are those of `avg_pool2d`.

    Examples
    --------
    >>> la.nn.AvgPool2d(2)(la.ones((5, 10, 10, 3))).shape
    (5, 5, 5, 3)
    """

    axes = 2


class AvgPool3d(_AvgPool):
    """The mean of each window over three spatial axes; parameters and errors are those of `avg_pool3d`.

    Examples
    --------
    >>> la.nn.AvgPool3d(2)(la.ones((5, 4, 4, 4, 3))).shape
    (5, 2, 2, 2, 3)
    """

    axes = 3


class Upsample(Layer):
    """More pixels along the spatial axes; parameters and errors are those of `upsample`.

    Examples
    --------
    >>> la.nn.Upsample(2, "linear")(la.ones((5, 4, 4, 3))).shape
    (5, 8, 8, 3)
    """

    def __init__(self, scale, mode="nearest", *, align_corners=False):
        self._options = (scale, mode, align_corners)

    def __call__(self, x):
        return pooling.upsample(x, *self._options)


class Flatten(Layer):
    """All axes but the first in one.

    Raises
    ------
    ValueError
        Called: for an array without axes.

    Examples
    --------
    >>> la.nn.Flatten()(la.ones((5, 4, 4, 3))).shape
    (5, 48)
    """

    def __call__(self, x):
        x = operand(x, "Flatten: x")
        if not x.shape:
            raise ValueError("Flatten: x must have axes")
        return x.reshape(x.shape[0], math.prod(x.shape[1:]))
