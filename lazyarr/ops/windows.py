"""Sliding windows over the spatial axes of an array [batch, n0, ..., channels].

A window has several taps along an axis, `dilation` elements apart; consecutive windows are `stride` elements apart. For
example, three taps with a stride of 2 over an extent of 5, padded with two zeros before and one after:

    [0  0  a] b  c  d  e  0
     0  0 [a  b  c] d  e  0
     0  0  a  b [c  d  e] 0
"""
import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.arguments import bounded, integer, items, operand, per_axis, shape_of
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.operands import cast


class Windows(NamedTuple):
    """Positions of windows along each axis."""

    extent: tuple  # of the input
    taps: tuple  # per window
    stride: tuple
    before: tuple  # zeros before the first element
    dilation: tuple
    positions: tuple  # number of windows


def _paddings(padding, ndim):
    """Return (before, after) for each axis, or None for "same"."""
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f'padding must be "same", "valid" or consist of integers, got {padding!r}')
        return None if padding == "same" else [(0, 0)] * ndim
    pairs = []
    for item in items(padding, ndim, "padding"):
        pair = tuple(item) if np.iterable(item) else (item, item)
        if len(pair) != 2:
            raise ValueError(f"padding must have a pair (before, after) for an axis, got {item!r}")
        pairs.append(tuple([integer(n, "padding", 0) for n in pair]))
    return pairs


def _divided(total):
    """Split padding into before and after; the odd element comes after, as in TensorFlow and JAX."""
    return total // 2, total - total // 2


def _settings(taps, stride, padding, dilation, name):
    """Return stride, padding, dilation and the span of a window for each axis; the argument `name` gives the taps."""
    ndim = len(taps)
    stride, dilation = per_axis(stride, ndim, "stride"), per_axis(dilation, ndim, "dilation")
    if 0 in taps:
        raise ValueError(f"{name} must have at least one tap along each spatial axis, got {taps}")
    return stride, _paddings(padding, ndim), dilation, [(n - 1) * d + 1 for n, d in zip(taps, dilation, strict=True)]


def place(shape, taps, stride, padding, dilation, name="w"):
    """Return the windows over an array [batch, n0, ..., channels], from arguments as users pass them.

    `name` is the argument that gives the taps.
    """
    if type(stride) is type(dilation) is int and type(padding) in (int, str):  # the cache would take 1.0 or True for 1
        return _place_cached(shape, taps, stride, padding, dilation, name)
    return _place(shape, taps, stride, padding, dilation, name)


def _place(shape, taps, stride, padding, dilation, name):
    extents = shape[1:-1]
    stride, paddings, dilation, reaches = _settings(taps, stride, padding, dilation, name)
    if paddings is None:
        paddings = [_divided(max((-(-n // s) - 1) * s + r - n, 0))
                    for n, s, r in zip(extents, stride, reaches, strict=True)]
    padded = [n + sum(pads) for n, pads in zip(extents, paddings, strict=True)]
    for axis, (n, r) in enumerate(zip(padded, reaches, strict=True), 1):
        if r > n and padding != "same":
            raise ValueError(f"{name}: a window that reaches over {r} elements is larger than axis {axis} of the "
                             f"input, padded to {n}")
    bounded((shape[0], *padded, shape[-1]), "padding")
    count = tuple([(n - r) // s + 1 for n, r, s in zip(padded, reaches, stride, strict=True)])
    return _windows(extents, taps, stride, paddings, dilation, count, padded)


_place_cached = functools.lru_cache(1024)(_place)


def place_transposed(shape, taps, stride, padding, output_padding, dilation):
    """Return the windows of a transposed convolution over its result: one per position of [batch, n0, ..., columns]."""
    count = shape[1:-1]
    stride, paddings, dilation, reaches = _settings(taps, stride, padding, dilation, "w")
    more = per_axis(output_padding, len(taps), "output_padding", 0)
    for extra, s, d in zip(more, stride, dilation, strict=True):
        if extra >= max(s, d):
            raise ValueError(f"output_padding must be smaller than stride or dilation, got {extra}")
    if paddings is None:
        paddings = [_divided(max(r - s, 0)) for r, s in zip(reaches, stride, strict=True)]
        reaches = [max(r, s) for r, s in zip(reaches, stride, strict=True)]
    extents = [(n - 1) * s + r + extra - sum(pads)
               for n, s, r, extra, pads in zip(count, stride, reaches, more, paddings, strict=True)]
    for axis, (extent, n) in enumerate(zip(extents, count, strict=True), 1):
        if extent < 1 and n:
            raise ValueError(f"padding leaves nothing of axis {axis}, which would have {extent} elements")
    extents = bounded([max(extent, 0) for extent in extents], "stride")
    padded = [n + sum(pads) for n, pads in zip(extents, paddings, strict=True)]
    bounded((shape[0], *padded, shape[-1]), "padding")
    return _windows(extents, taps, stride, paddings, dilation, count, padded)


def _windows(extents, taps, stride, paddings, dilation, count, padded):
    # The stride is irrelevant for a single window, the dilation for a single tap: neither may then exceed the extent.
    stride = tuple([min(s, max(n, 1)) for s, n in zip(stride, padded, strict=True)])
    dilation = tuple([d if n > 1 else 1 for d, n in zip(dilation, taps, strict=True)])
    return Windows(tuple(extents), tuple(taps), stride, tuple([before for before, _ in paddings]), dilation, count)


def met(extent, taps, count, stride, first, dilation):
    """Return for each tap the slice of positions at which it covers elements, and the slice of those; slice(0) if none.

    Positions and taps are interchangeable, together with stride and dilation.

    Examples
    --------
    >>> met(4, 3, 2, stride=2, first=-1, dilation=1)[0]
    (slice(1, 2, None), slice(1, 2, 2))
    """
    found = []
    for tap in range(taps):
        at = first + tap * dilation
        start, stop = max(-(at // stride), 0), min((extent - 1 - at) // stride + 1, count)
        found.append((slice(start, stop), slice(at + start * stride, at + (stop - 1) * stride + 1, stride))
                     if start < stop else (slice(0), slice(0)))
    return found


@named("nn.im2col")
def patches(x, window, stride, padding, dilation):
    """Copy the elements under each window side by side; padding is zero."""
    taps, ndim = _window(window)
    x = operand(x, "x", ndim + 2)
    x = cast(x, x.dtype.newbyteorder("="))
    batch, *extents, channels = x.shape
    windows = place(x.shape, taps, stride, padding, dilation, "window")
    needed = [max((c - 1) * s + (t - 1) * d + 1, before + n) for n, t, s, before, d, c in zip(*windows, strict=True)]
    shape = bounded((batch, *windows.positions, *taps, channels), "window")
    if needed != extents:
        padded = core.full((batch, *needed, channels), 0, x.dtype)
        inside = [slice(before, before + n) for n, before in zip(extents, windows.before, strict=True)]
        core.assign(padded[(slice(None), *inside)], x)
        x = padded
    whole, *steps, element = x.strides
    under = core.view(x, shape, (whole, *[n * s for n, s in zip(steps, windows.stride, strict=True)],
                                 *[n * d for n, d in zip(steps, windows.dilation, strict=True)], element))
    return reshape_array(core.copy(under, order="C"), (batch, *windows.positions, math.prod(taps) * channels))


@named("nn.col2im")
def sum_patches(columns, input_shape, window, stride, padding, dilation):
    """Transpose `patches`: sum tap by tap all that covers each element."""
    taps, ndim = _window(window)
    columns = operand(columns, "cols", ndim + 2)
    shape = bounded(shape_of(input_shape, ndim + 2, "input_shape"), "input_shape")
    windows = place(shape, taps, stride, padding, dilation, "window")
    expected = shape[0], *windows.positions, math.prod(taps) * shape[-1]
    if columns.shape != expected:
        raise ValueError(f"cols must have the shape {expected} of such patches, not {columns.shape}")
    dtype = columns.dtype.newbyteorder("=")
    working = np.dtype(np.float32) if dtype == np.float16 else dtype  # rounds once
    columns = reshape_array(cast(columns, working), (shape[0], *windows.positions, *taps, shape[-1]))
    total = core.full(shape, 0, working)
    if columns.size and total.size:
        for under, elements in _met_together(windows):
            over = total[(slice(None), *elements)]
            over += columns[(slice(None), *under)]
    return cast(total, dtype, "col2im")


def _met_together(windows):
    """Yield index pairs of covered elements: into positions and taps of the patches, and into the array.

    The order is tap by tap, all positions at once. With fewer positions than taps it is position by position,
    backwards, so that each element still sums its taps in the same order.
    """
    by_taps = math.prod(windows.taps) <= math.prod(windows.positions)
    along = []
    for n, t, s, before, d, c in zip(*windows, strict=True):
        found = list(enumerate(met(n, t, c, s, -before, d) if by_taps else met(n, c, t, d, -before, s)))
        along.append([each for each in found[::1 if by_taps else -1] if each[1][0] != slice(0)])
    for found in itertools.product(*along):
        one, places = zip(*found, strict=True)
        others, elements = zip(*places, strict=True)
        yield (*others, *one) if by_taps else (*one, *others), elements


def _window(window):
    if not np.iterable(window):
        raise TypeError(f"window must be a tuple, with an integer for each spatial axis, got {window!r}")
    taps = tuple([integer(n, "window") for n in window])
    if not 1 <= len(taps) <= 3:
        raise ValueError(f"window must have one to three axes, got {taps}")
    return taps, len(taps)
