"""Pooling, upsampling and flattening layers, which have no parameters."""
# ruff: noqa: D101 - what a family documents alike is written once
import math

from lazyarr._core.api import LazyArray
from lazyarr.nn.annotations import Operand, Sizes
from lazyarr.nn.functional.pooling import Mode, Scale
from lazyarr.nn.layers.base import Layer
from lazyarr.nn.layers.spatial import SpatialLayer
from lazyarr.ops import pooling
from lazyarr.ops.arguments import operand, per_axis


class _MaxPool(SpatialLayer):
    documentation = """The largest element of each window over {axes}; parameters and errors: see `max_pool{rank}d`.

    Examples
    --------
    >>> la.nn.MaxPool{rank}d(2)(la.ones((5, {8s}, 3))).shape
    (5, {4s}, 3)
    """

    def __init__(self, window: Sizes, *, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
                 ceil_mode: bool = False) -> None:
        self._options = per_axis(window, self.axes, "window"), stride, padding, dilation, ceil_mode

    def __call__(self, x: Operand) -> LazyArray:
        return pooling.max_pool(self.axes, x, *self._options)


class MaxPool1d(_MaxPool, axes=1): ...


class MaxPool2d(_MaxPool, axes=2): ...


class MaxPool3d(_MaxPool, axes=3): ...


class _AvgPool(SpatialLayer):
    documentation = """The mean of each window over {axes}; parameters and errors are those of `avg_pool{rank}d`.

    Examples
    --------
    >>> la.nn.AvgPool{rank}d(2)(la.ones((5, {8s}, 3))).shape
    (5, {4s}, 3)
    """

    def __init__(self, window: Sizes, *, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
                 count_include_pad: bool = True) -> None:
        self._options = per_axis(window, self.axes, "window"), stride, padding, ceil_mode, count_include_pad

    def __call__(self, x: Operand) -> LazyArray:
        return pooling.avg_pool(self.axes, x, *self._options)


class AvgPool1d(_AvgPool, axes=1): ...


class AvgPool2d(_AvgPool, axes=2): ...


class AvgPool3d(_AvgPool, axes=3): ...


class Upsample(Layer):
    """Enlarge the spatial axes; parameters and errors are those of `upsample`.

    Examples
    --------
    >>> la.nn.Upsample(2, "linear")(la.ones((5, 4, 4, 3))).shape
    (5, 8, 8, 3)
    """

    def __init__(self, scale: Scale, mode: Mode = "nearest", *, align_corners: bool = False) -> None:
        self._options = (scale, mode, align_corners)

    def __call__(self, x: Operand) -> LazyArray:
        return pooling.upsample(x, *self._options)


class Flatten(Layer):
    """Flatten all axes but the first.

    Raises
    ------
    ValueError
        When called: for an array without axes.

    Examples
    --------
    >>> la.nn.Flatten()(la.ones((5, 4, 4, 3))).shape
    (5, 48)
    """

    def __call__(self, x: Operand) -> LazyArray:
        x = operand(x, "Flatten: x")
        if not x.shape:
            raise ValueError("Flatten: x must have axes")
        return x.reshape(x.shape[0], math.prod(x.shape[1:]))
