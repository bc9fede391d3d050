"""Pooling and upsampling of arrays [batch, one to three spatial axes, channels], and their gradients.

Each is a native kernel that reads the pixels under windows; an `Axis` (ops/pooling_tables.py) says what windows cover
along one axis. This module checks arguments, chooses dtypes and builds nodes. Gradients of linear functions are the
same kernels over the transposed axes. Half precision is computed in single.
"""
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops import pooling_tables as tables
from lazyarr.ops.arguments import bounded, items, operand, per_axis, shape_of
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.moments import mean
from lazyarr.ops.numpy_fallback import call
from lazyarr.ops.operands import cast
from lazyarr.ops.repetition import spread
from lazyarr.ops.taking import take
from lazyarr.ops.vmap_helpers import on_batch, samples_joined

_LIMIT = 2**31 - 1      # largest window, stride and so on: beyond, sums could overflow


# ---- arguments ------------------------------------------------------------------------------------------


def _array(x, axes, name="x"):
    """Return an operand with `axes` spatial axes, or one to three, none of them empty."""
    x = operand(x, name, _ndim(axes))
    _check_extents(x.shape, name)
    return cast(x, x.dtype.newbyteorder("="))


def _ndim(axes):
    return range(3, 6) if axes is None else axes + 2


def _check_extents(shape, name):
    if not all(shape[1:-1]):
        raise ValueError(f"{name} must not have an empty spatial axis, its shape is {shape}")


def _input_shape(shape, axes):
    shape = shape_of(shape, _ndim(axes), "input_shape")
    _check_extents(shape, "input_shape")
    return bounded(shape, "input_shape")


def _gradient(g, shape):
    g = operand(g, "g", len(shape))
    if g.shape != shape:
        raise ValueError(f"g must have the shape of the output, {shape}, not {g.shape}")
    return cast(g, g.dtype.newbyteorder("="))


def _places(extents, window, stride, padding, dilation, ceil_mode):
    """Return for each axis: its input's extent, the number of windows, and window, stride, padding and dilation."""
    axes = len(extents)
    window = per_axis(window, axes, "window", 1, _LIMIT)
    stride = window if stride is None else per_axis(stride, axes, "stride", 1, _LIMIT)
    padding = per_axis(padding, axes, "padding", 0, _LIMIT)
    dilation = per_axis(dilation, axes, "dilation", 1, _LIMIT)
    if math.prod(window) > _LIMIT:
        raise ValueError(f"window must have at most {_LIMIT} taps, got {window}")
    found = []
    for n, k, s, p, d in zip(extents, window, stride, padding, dilation, strict=True):
        if p > k // 2:
            raise ValueError(f"padding must be at most half of the window {window}, got {padding}")
        count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        if ceil_mode and (count - 1) * s >= n + p:  # it would start after the input
            count -= 1
        if count < 1:
            raise ValueError(f"window {window}, dilated by {dilation}, is larger than the padded input, {extents} with "
                             f"padding {padding}")
        found.append((n, count, k, s, p, d))
    return found


def _output(shape, counts, name="x"):
    return bounded((shape[0], *counts, shape[-1]), name)


# ---- dtypes ---------------------------------------------------------------------------------------------


def _computed(function, x):
    """Return function(x in the kernels' dtype) as the dtype of NumPy's mean."""
    if x.dtype.kind in "biu":
        return function(cast(x, np.dtype(np.float64)))
    if x.dtype == np.float16:
        return cast(function(cast(x, np.dtype(np.float32))), x.dtype)
    return function(x)


# ---- kernels --------------------------------------------------------------------------------------------


class Pool(core.Kernel):
    """A function of the pixels under windows described by the axes; `line` names the native function."""

    def __init__(self, line, axes, pull_back=None):
        self.line, self.axes, self.pull_back = line, tuple(axes), pull_back

    def __call__(self, out, x, found=None):
        """Compute it natively."""
        core.kernels.pooling.fill(out, x, self.axes, self.line, found)

    def reference(self, x, found=None):
        """Compute window by window; complex channels are twice as many real ones."""
        if x.dtype.kind == "c":
            parts = [self.reference(part, found) for part in (x.real, x.imag)]
            return np.stack(parts, -1).view(x.dtype)[..., 0]
        narrow = math.prod([axis.window for axis in self.axes]) <= 128
        dtype = x.dtype if self.line != "places" else np.int8 if narrow else np.int32
        out = np.empty((len(x), *[len(axis.first) for axis in self.axes], x.shape[-1]), dtype)
        with np.errstate(all="ignore"):
            for position in np.ndindex(out.shape[1:-1]):
                out[(slice(None), *position)] = self._of_window(position, x, found)
        return out

    def _of_window(self, position, x, found):
        """Return the value of a window, for each sample and channel."""
        pixels, number, weight = [], np.zeros(1, int), np.ones(1)
        for axis, i in zip(self.axes, position, strict=True):
            taps = np.arange(axis.taps[i])
            pixels.append(axis.first[i] + axis.step * taps)
            if axis.number is not None:
                number = np.add.outer(number * axis.window, axis.number[i] + axis.number_step * taps).ravel()
            if axis.weight is not None:
                weight = np.multiply.outer(weight, axis.weight[axis.offset[i] + taps]).ravel()
        count = math.prod(map(len, pixels))
        under = np.ix_(range(len(x)), *pixels, range(x.shape[-1]))
        values = x[under].reshape(len(x), count, x.shape[-1])
        if self.line == "max":
            least = False if x.dtype == bool else np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
            return values.max(1, initial=least)
        if self.line == "places":
            return number[values.argmax(1)] if count else -1
        if self.line == "give back":
            return np.where(found[under].reshape(values.shape) == number[:, None], values, 0).sum(1)
        if self.line == "mix":
            return (values * weight[:, None]).sum(1)
        return values.sum(1) / math.prod([axis.divisor[i] for axis, i in zip(self.axes, position, strict=True)])

    def batch(self, call, operands, batched, size):
        """Batch as more samples."""
        folded = [samples_joined(on_batch(x, is_batched, size))
                  for x, is_batched in zip(operands, batched, strict=True)]
        made = core.kernel(call.name, self, folded, (size * call.shape[0], *call.shape[1:]), call.dtype)
        return made.reshape(size, *call.shape)


def _linear(name, line, x, shape, axes_of, transposed):
    """Return the node of a mean or weighted sum, whose transpose is transposed(g, shape).

    axes_of(extended) returns the axes, with weights in double or extended precision.
    """
    def node(v):
        kernel = Pool(line, axes_of(v.dtype.char in "gG"),
                       lambda g, out, operands, wanted: (transposed(g, operands[0].shape),))
        return core.kernel(name, kernel, [v], shape, v.dtype)

    return _computed(node, x)


# ---- maxima ---------------------------------------------------------------------------------------------


def _real(name, x):
    if x.dtype.kind == "c":
        raise TypeError(f"{name} must be real, not of dtype {x.dtype}: complex numbers have no order")
    return cast(x, np.dtype(np.float32)) if x.dtype == np.float16 else x


@named("nn.max_pool")
def max_pool(axes, x, window, stride, padding, dilation, ceil_mode):
    """Return the maximum of each window."""
    given = _array(x, axes)
    x = _real("x", given)
    places = _places(x.shape[1:-1], window, stride, padding, dilation, ceil_mode)
    shape = _output(x.shape, [place[1] for place in places])
    largest = Pool("max", _windows(places),
                    lambda g, out, operands, wanted: (_gradient_of_largest(operands[0], g, places),))
    return cast(core.kernel(f"max_pool{axes}d", largest, [x], shape, x.dtype), given.dtype)


@named("nn.grad.max_pool")
def max_pool_gradient(axes, x, g, window, stride, padding, dilation, ceil_mode):
    """Return g at the first maximum of each window."""
    x = _real("x", _array(x, axes))
    places = _places(x.shape[1:-1], window, stride, padding, dilation, ceil_mode)
    g = _gradient(g, _output(x.shape, [place[1] for place in places]))
    _real("g", g)
    return _gradient_of_largest(x, g, places)


def _gradient_of_largest(x, g, places):
    find = Pool("places", _windows(places))
    numbers = np.dtype(np.int8 if math.prod([place[2] for place in places]) <= 128 else np.int32)
    found = core.kernel(f"{_gradient_name(places)} places", find, [x], g.shape, numbers)
    return _computed(lambda v: _given_back(v, found, x.shape, places), g)


def _windows(places):
    return [tables.windows(*place) for place in places]


def _gradient_name(places):
    return f"grad.max_pool{len(places)}d"


def _given_back(g, found, shape, places):
    """Add each element of g where its window found the maximum."""
    kernel = Pool("give back", [tables.window_covers(*place) for place in places],
                   lambda h, out, operands, wanted: (_picked(h, operands[1], places), None))
    return core.kernel(_gradient_name(places), kernel, [g, found], shape, g.dtype)


def _picked(x, found, places):
    """Return the elements of x at the windows' maxima: the transpose of `_given_back`."""
    def pick(x, found):
        tap, index = found.astype(np.intp), [np.arange(x.shape[-1])]
        for axis, (_, count, taps, stride, padding, dilation) in reversed([*enumerate(places, 1)]):
            first = np.arange(count).reshape(-1, *[1] * (found.ndim - axis - 1)) * stride - padding
            index.insert(0, np.where(found < 0, 0, first + tap % taps * dilation))
            tap = tap // taps
        batch = np.arange(x.shape[0]).reshape(-1, *[1] * (found.ndim - 1))
        return np.where(found < 0, 0, x[(batch, *index)])

    pick.pull_back = lambda g, out, operands, wanted: (
        _given_back(g, operands[1], operands[0].shape, places), None)
    pick.batch = lambda call, operands, batched, size: _picked(*[
        samples_joined(on_batch(x, is_batched, size)) for x, is_batched in zip(operands, batched, strict=True)
    ], places).reshape(size, *call.shape)
    return call(pick, [x, found], found.shape, x.dtype, name=_gradient_name(places))


# ---- means ----------------------------------------------------------------------------------------------


@named("nn.avg_pool")
def avg_pool(axes, x, window, stride, padding, ceil_mode, count_include_pad):
    """Return the mean of each window."""
    x = _array(x, axes)
    places = _places(x.shape[1:-1], window, stride, padding, 1, ceil_mode)
    return _linear(f"avg_pool{axes}d", "mean", x, _output(x.shape, [place[1] for place in places]),
                   lambda extended: [tables.windows(*place, bool(count_include_pad)) for place in places],
                   lambda g, shape: avg_pool_gradient(axes, shape, g, window, stride, padding, ceil_mode,
                                                      count_include_pad))


@named("nn.grad.avg_pool")
def avg_pool_gradient(axes, input_shape, g, window, stride, padding, ceil_mode, count_include_pad):
    """Distribute g evenly among the pixels of each window."""
    shape = _input_shape(input_shape, axes)
    places = _places(shape[1:-1], window, stride, padding, 1, ceil_mode)
    g = _gradient(g, _output(shape, [place[1] for place in places]))
    return _linear(
        f"grad.avg_pool{axes}d", "mix", g, shape,
        lambda extended: [tables.shared_windows(*place, bool(count_include_pad), extended) for place in places],
        lambda x, shape: avg_pool(axes, x, window, stride, padding, ceil_mode, count_include_pad))


@named("nn.adaptive_avg_pool")
def adaptive_avg_pool(axes, x, output_size):
    """Return the means of `output_size` windows that cover the input."""
    x = _array(x, axes)
    counts = per_axis(output_size, axes, "output_size", 1, _LIMIT)
    if all(n == 1 for n in counts):
        return mean(x, tuple(range(1, axes + 1)), keepdims=True)
    return _linear(f"adaptive_avg_pool{axes}d", "mean", x, _output(x.shape, counts, "output_size"),
                   lambda extended: list(map(tables.adaptive, x.shape[1:-1], counts)),
                   lambda g, shape: adaptive_avg_pool_gradient(axes, shape, g))


@named("nn.grad.adaptive_avg_pool")
def adaptive_avg_pool_gradient(axes, input_shape, g):
    """Distribute g evenly among the pixels of each window."""
    shape = _input_shape(input_shape, axes)
    g = _array(g, axes, "g")
    g = _gradient(g, _output(shape, g.shape[1:-1]))
    pairs = list(zip(shape[1:-1], g.shape[1:-1], strict=True))
    return _linear(f"grad.adaptive_avg_pool{axes}d", "mix", g, shape,
                   lambda extended: [tables.shared_adaptively(*pair, extended) for pair in pairs],
                   lambda x, shape: adaptive_avg_pool(axes, x, shape[1:-1]))


# ---- upsampling -----------------------------------------------------------------------------------------


def _scales(scale, extents):
    """Return for each axis: its input's extent, its output's, and the scale."""
    given = items(scale, len(extents), "scale")
    if not all(isinstance(s, int | float | np.integer | np.floating) for s in given):
        raise TypeError(f"scale must consist of numbers, got {scale!r}")
    if not all(0 < s <= _LIMIT for s in given):
        raise ValueError(f"scale must be positive and at most {_LIMIT}, got {scale!r}")
    found = [(n, int(n * s), int(s) if s == int(s) else float(s)) for n, s in zip(extents, given, strict=True)]
    if not all(count for _, count, _ in found):
        raise ValueError(f"scale must leave something of {extents}, got {scale!r}")
    return found


def _axes_of_upsampling(mode, align_corners, scales):
    """Return a function that returns the axes; check the mode."""
    if mode not in ("nearest", "linear"):
        raise ValueError(f"mode must be 'nearest' or 'linear', got {mode!r}")
    if mode == "linear":
        return lambda extended: [tables.linear(*scale, bool(align_corners), extended) for scale in scales]
    if align_corners:
        raise ValueError("align_corners is for mode 'linear' only")
    return lambda extended: [tables.nearest(*scale, extended) for scale in scales]


@named("nn.upsample")
def upsample(x, scale, mode, align_corners):
    """Increase the number of pixels by repetition or interpolation."""
    x = _array(x, None)
    scales = _scales(scale, x.shape[1:-1])
    axes_of = _axes_of_upsampling(mode, align_corners, scales)
    shape = _output(x.shape, [count for _, count, _ in scales], "scale")
    if mode == "linear":
        return _linear("upsample", "mix", x, shape, axes_of,
                       lambda g, shape: upsample_gradient(shape, g, scale, mode, align_corners))
    if all(type(s) is int for _, _, s in scales):
        return spread(x, (1, *[s for _, _, s in scales], 1), "repeat")
    for axis, place in enumerate(scales, 1):
        x = take(x, tables.nearest_pixels(*place), axis)
    return x


@named("nn.grad.upsample")
def upsample_gradient(input_shape, g, scale, mode, align_corners):
    """Sum g over the uses of each pixel."""
    shape = _input_shape(input_shape, None)
    scales = _scales(scale, shape[1:-1])
    axes_of = _axes_of_upsampling(mode, align_corners, scales)
    g = _gradient(g, _output(shape, [count for _, count, _ in scales], "scale"))
    return _linear("grad.upsample", "mix", g, shape,
                   lambda extended: list(map(tables.transposed, axes_of(extended), shape[1:-1])),
                   lambda x, shape: upsample(x, scale, mode, align_corners))
