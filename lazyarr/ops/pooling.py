"""Pooling and upsampling of arrays [batch, one to three spatial axes, channels], and their gradients.

Each is a native kernel that looks at the pixels under windows; what the windows cover along one axis is an `Axis`, made
in ops/windowed.py. Here arguments are checked, dtypes chosen and kernels put into the graph. The gradients of linear
functions are the same kernels over the axes' transposes. Half precision is computed in single.
"""
import functools
import math
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.indexing import take
from lazyarr.ops.layout import spread
from lazyarr.ops.operands import Foreign, cast, lazy
from lazyarr.ops.reduction import mean
from lazyarr.ops.windowed import (
    adaptive,
    linear,
    nearest,
    nearest_pixels,
    shared_adaptively,
    shared_windows,
    transposed,
    window_covers,
    windows,
)

_LIMIT = 2**31 - 1      # of windows, strides and so on: beyond, sums of them could overflow


# ---- arguments ------------------------------------------------------------------------------------------


def _operand(name, what, obj):
    try:
        x = lazy(obj)
    except Foreign:
        kind = type(obj).__name__
        raise TypeError(f"{name}: {what} is of type {kind}, which has array semantics of its own") from None
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{name}: {what} has dtype {x.dtype}, not a numeric one")
    return cast(x, x.dtype.newbyteorder("="))


def _checked_shape(name, what, shape, axes):
    """The spatial part of a shape; `axes` is how many there have to be, or a range."""
    if len(shape) - 2 not in (axes if isinstance(axes, range) else (axes,)):
        wanted = "3 to 5" if isinstance(axes, range) else axes + 2
        raise ValueError(f"{name}: {what} must have {wanted} axes, [batch, ..., channels], got shape {shape}")
    if not all(shape[1:-1]):
        raise ValueError(f"{name}: {what} has an empty spatial axis, its shape is {shape}")
    return shape[1:-1]


def _array(name, x, axes, what="x"):
    x = _operand(name, what, x)
    _checked_shape(name, what, x.shape, axes)
    return x


def _input_shape(name, shape, axes):
    try:
        shape = tuple([operator.index(n) for n in shape])
    except TypeError:
        raise TypeError(f"{name}: input_shape must be a tuple of ints, got {shape!r}") from None
    if any(n < 0 for n in shape):
        raise ValueError(f"{name}: input_shape has a negative extent: {shape}")
    _checked_shape(name, "input_shape", shape, axes)
    return shape


def _gradient(name, g, shape):
    g = _operand(name, "g", g)
    if g.shape != shape:
        raise ValueError(f"{name}: g must have the shape of the output, {shape}, got {g.shape}")
    return g


def _integers(name, what, given, axes, least):
    """One integer for each axis."""
    try:
        found = tuple([operator.index(n) for n in given]) if isinstance(given, tuple | list) else \
            (operator.index(given),) * axes
    except TypeError:
        raise TypeError(f"{name}: {what} must be an int or a tuple of {axes} ints, got {given!r}") from None
    if len(found) != axes:
        raise ValueError(f"{name}: {what} must be an int or a tuple of {axes} ints, got {given!r}")
    if not all(least <= n <= _LIMIT for n in found):
        raise ValueError(f"{name}: {what} must be {'positive' if least else 'zero or more'} and less than 2**31, "
                         f"got {given!r}")
    return found


def _places(name, extents, window, stride, padding, dilation, ceil_mode):
    """For each axis its input's extent, how many windows there are, and window, stride, padding and dilation."""
    axes = len(extents)
    window = _integers(name, "window", window, axes, 1)
    stride = window if stride is None else _integers(name, "stride", stride, axes, 1)
    padding = _integers(name, "padding", padding, axes, 0)
    dilation = _integers(name, "dilation", dilation, axes, 1)
    if math.prod(window) > _LIMIT:
        raise ValueError(f"{name}: window {window} has 2**31 taps or more")
    found = []
    for n, k, s, p, d in zip(extents, window, stride, padding, dilation, strict=True):
        if p > k // 2:
            raise ValueError(f"{name}: padding {padding} is more than half of window {window}")
        count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= n + p:  # it would start behind the input
            count -= 1
        if count < 1:
            raise ValueError(f"{name}: window {window}, dilated by {dilation}, is larger than the padded input, "
                             f"{extents} with padding {padding}")
        found.append((n, count, k, s, p, d))
    return found


def _output(shape, counts):
    return (shape[0], *counts, shape[-1])


# ---- dtypes ---------------------------------------------------------------------------------------------


def _computed(function, x):
    """function(x as the kernels take it), whose result is what NumPy's mean would be."""
    if x.dtype.kind in "biu":
        return function(cast(x, np.dtype(np.float64)))
    if x.dtype == np.float16:
        return cast(function(cast(x, np.dtype(np.float32))), x.dtype)
    return function(x)


def _linear(name, kernel, x, shape, axes_of):
    """A mean or weighted sum; axes_of(extended) gives the axes, with weights in double or extended precision."""
    def compute(v):
        axes = axes_of(v.dtype.char in "gG")
        return core.kernel(name, functools.partial(kernel, axes=axes), [v], shape, v.dtype)

    return _computed(compute, x)


# ---- maxima ---------------------------------------------------------------------------------------------


def _real(name, what, x):
    if x.dtype.kind == "c":
        raise TypeError(f"{name}: {what} has dtype {x.dtype}, and complex numbers have no order")
    return cast(x, np.dtype(np.float32)) if x.dtype == np.float16 else x


def max_pool(axes, x, window, stride, padding, dilation, ceil_mode):
    """The largest of each window."""
    name = f"max_pool{axes}d"
    given = _array(name, x, axes)
    x = _real(name, "x", given)
    places = _places(name, x.shape[1:-1], window, stride, padding, dilation, ceil_mode)
    kernel = functools.partial(core.pool_max, axes=tuple([windows(*place) for place in places]))
    result = core.kernel(name, kernel, [x], _output(x.shape, [place[1] for place in places]), x.dtype)
    return cast(result, given.dtype)


def max_pool_gradient(axes, x, g, window, stride, padding, dilation, ceil_mode):
    """g at the first maximum of each window."""
    name = f"grad.max_pool{axes}d"
    x = _real(name, "x", _array(name, x, axes))
    places = _places(name, x.shape[1:-1], window, stride, padding, dilation, ceil_mode)
    shape = _output(x.shape, [place[1] for place in places])
    g = _gradient(name, g, shape)
    _real(name, "g", g)
    find = functools.partial(core.pool_places, axes=tuple([windows(*place) for place in places]))
    found = core.kernel(f"{name} places", find, [x], shape, np.dtype(np.int32))
    give_back = functools.partial(core.pool_give_back, axes=tuple([window_covers(*place) for place in places]))
    return _computed(lambda v: core.kernel(name, give_back, [v, found], x.shape, v.dtype), g)


# ---- means ----------------------------------------------------------------------------------------------


def avg_pool(axes, x, window, stride, padding, ceil_mode, count_include_pad):
    """The mean of each window."""
    name = f"avg_pool{axes}d"
    x = _array(name, x, axes)
    places = _places(name, x.shape[1:-1], window, stride, padding, 1, ceil_mode)
    found = tuple([windows(*place, bool(count_include_pad)) for place in places])
    return _linear(name, core.pool_mean, x, _output(x.shape, [place[1] for place in places]), lambda extended: found)


def avg_pool_gradient(axes, input_shape, g, window, stride, padding, ceil_mode, count_include_pad):
    """g, divided among the pixels of each window."""
    name = f"grad.avg_pool{axes}d"
    shape = _input_shape(name, input_shape, axes)
    places = _places(name, shape[1:-1], window, stride, padding, 1, ceil_mode)
    g = _gradient(name, g, _output(shape, [place[1] for place in places]))
    return _linear(name, core.pool_mix, g, shape, lambda extended: tuple(
        [shared_windows(*place, bool(count_include_pad), extended) for place in places]))


def adaptive_avg_pool(axes, x, output_size):
    """The means of so many windows, which cover the input."""
    name = f"adaptive_avg_pool{axes}d"
    x = _array(name, x, axes)
    counts = _integers(name, "output_size", output_size, axes, 1)
    if all(n == 1 for n in counts):
        return mean(x, tuple(range(1, axes + 1)), keepdims=True)
    found = tuple([adaptive(*pair) for pair in zip(x.shape[1:-1], counts, strict=True)])
    return _linear(name, core.pool_mean, x, _output(x.shape, counts), lambda extended: found)


def adaptive_avg_pool_gradient(axes, input_shape, g):
    """g, divided among the pixels of each window."""
    name = f"grad.adaptive_avg_pool{axes}d"
    shape = _input_shape(name, input_shape, axes)
    g = _array(name, g, axes, "g")
    g = _gradient(name, g, _output(shape, g.shape[1:-1]))
    pairs = list(zip(shape[1:-1], g.shape[1:-1], strict=True))
    return _linear(name, core.pool_mix, g, shape,
                   lambda extended: tuple([shared_adaptively(*pair, extended) for pair in pairs]))


# ---- upsampling -----------------------------------------------------------------------------------------


def _scales(name, scale, extents):
    """For each axis its input's extent, its output's, and the scale."""
    given = tuple(scale) if isinstance(scale, tuple | list) else (scale,) * len(extents)
    if len(given) != len(extents):
        raise ValueError(f"{name}: scale must be a number or a tuple of {len(extents)} numbers, got {scale!r}")
    if not all(isinstance(s, int | float | np.integer | np.floating) for s in given):
        raise TypeError(f"{name}: scale must be a number or a tuple of {len(extents)} numbers, got {scale!r}")
    if not all(0 < s <= _LIMIT for s in given):
        raise ValueError(f"{name}: scale must be positive and less than 2**31, got {scale!r}")
    found = [(n, int(n * s), int(s) if s == int(s) else float(s)) for n, s in zip(extents, given, strict=True)]
    if not all(count for _, count, _ in found):
        raise ValueError(f"{name}: nothing is left of {extents} with a scale of {scale!r}")
    return found


def _axes_of_upsampling(name, mode, align_corners, scales):
    """A function that gives the axes, and a check of the mode."""
    if mode not in ("nearest", "linear"):
        raise ValueError(f"{name}: mode must be 'nearest' or 'linear', got {mode!r}")
    if mode == "linear":
        return lambda extended: [linear(*scale, bool(align_corners), extended) for scale in scales]
    if align_corners:
        raise ValueError(f"{name}: align_corners is for mode 'linear' only")
    return lambda extended: [nearest(*scale, extended) for scale in scales]


def upsample(x, scale, mode, align_corners):
    """More pixels, repeated or in between."""
    name = "upsample"
    x = _array(name, x, range(1, 4))
    scales = _scales(name, scale, x.shape[1:-1])
    axes_of = _axes_of_upsampling(name, mode, align_corners, scales)
    if mode == "linear":
        shape = _output(x.shape, [count for _, count, _ in scales])
        return _linear(name, core.pool_mix, x, shape, lambda extended: tuple(axes_of(extended)))
    if all(type(s) is int for _, _, s in scales):
        return spread(x, (1, *[s for _, _, s in scales], 1), "repeat")
    for axis, place in enumerate(scales, 1):
        x = take(x, nearest_pixels(*place), axis)
    return x


def upsample_gradient(input_shape, g, scale, mode, align_corners):
    """For each pixel the sum of what it was used for."""
    name = "grad.upsample"
    shape = _input_shape(name, input_shape, range(1, 4))
    scales = _scales(name, scale, shape[1:-1])
    axes_of = _axes_of_upsampling(name, mode, align_corners, scales)
    g = _gradient(name, g, _output(shape, [count for _, count, _ in scales]))
    return _linear(name, core.pool_mix, g, shape, lambda extended: tuple(
        [transposed(axis, n) for axis, n in zip(axes_of(extended), shape[1:-1], strict=True)]))
