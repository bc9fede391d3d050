"""Tables of what windows cover along one axis, for the pooling kernels (`_core/kernels/pooling.pyx`).

Positions are those of the result. For a gradient they are pixels, and windows are the positions that used a pixel: the
transpose of the forward tables. All such sets are evenly spaced: first, count and step.
"""
import functools
import math
from typing import NamedTuple

import numpy as np

_ORDINARY = 1 << 14     # largest extent of cached tables


class Axis(NamedTuple):
    """Windows along one axis; arrays are indexed by position."""

    first: np.ndarray       # pixel under the first tap
    taps: np.ndarray        # number of taps
    step: int = 1           # pixels between taps
    window: int = 1         # taps of a full window, to number them
    number: np.ndarray | None = None    # number of the first tap in its window
    number_step: int = 0
    divisor: np.ndarray | None = None   # divisor of the sum
    offset: np.ndarray | None = None    # offset of a position's weights
    weight: np.ndarray | None = None


def _kept(function):
    """Cache a function of extents and counts for tables of ordinary size."""
    remembered = functools.lru_cache(256)(function)

    @functools.wraps(function)
    def axis(n, count, *rest):
        return (remembered if max(n, count) <= _ORDINARY else function)(n, count, *rest)

    return axis


def _axis(first, taps, **rest):
    taps = np.maximum(taps, 0)
    first = np.where(taps > 0, first, 0)
    return Axis(first.astype(np.intp), taps.astype(np.intp), **rest)


def _reals(values, extended):
    return np.ascontiguousarray(values, np.longdouble if extended else np.float64)


# ---- windows at equal distances --------------------------------------------------------------------------


@_kept
def windows(n, count, window, stride, padding, dilation, include_pad=True):
    """Windows over n pixels, clipped.

    Examples
    --------
    >>> axis = windows(5, 3, 3, 2, 1, 1)
    >>> axis.first, axis.taps
    (array([0, 1, 3]), array([2, 3, 2]))
    """
    start = np.arange(count) * stride - padding
    before = np.maximum(-(start // dilation), 0)
    taps = np.minimum((n - 1 - start) // dilation + 1, window) - before
    divisor = np.minimum(start + window, n + padding) - start if include_pad else taps
    return _axis(start + before * dilation, taps, step=dilation, window=window, number=before.astype(np.intp),
                 number_step=1, divisor=divisor.astype(np.float64))


@_kept
def window_covers(n, count, window, stride, padding, dilation):
    """Return for each of n pixels the windows with a tap there: o * stride + t * dilation is its padded index.

    Examples
    --------
    >>> axis = window_covers(5, 3, 3, 2, 1, 1)
    >>> axis.first, axis.taps
    (array([0, 0, 1, 1, 2]), array([1, 2, 1, 2, 1]))
    """
    common = math.gcd(stride, dilation)
    step = dilation // common
    index = np.arange(n) + padding
    first = np.maximum(-(((window - 1) * dilation - index) // stride), 0)
    first += (index // common * pow(stride // common, -1, step) - first) % step
    taps = np.where(index % common, 0, (np.minimum(index // stride, count - 1) - first) // step + 1)
    return _axis(first, taps, step=step, window=window, number=((index - first * stride) // dilation).astype(np.intp),
                 number_step=-(stride // common))


@_kept
def shared_windows(n, count, window, stride, padding, dilation, include_pad, extended):
    """Return the transpose of means over `windows`."""
    axis = window_covers(n, count, window, stride, padding, dilation)
    divisor = windows(n, count, window, stride, padding, dilation, include_pad).divisor
    return axis._replace(offset=axis.first, weight=1 / _reals(divisor, extended))


# ---- windows that divide an axis ------------------------------------------------------------------------


@_kept
def adaptive(n, count):
    """Return `count` windows that divide n pixels evenly.

    Examples
    --------
    >>> axis = adaptive(5, 3)
    >>> axis.first, axis.taps
    (array([0, 1, 3]), array([2, 3, 2]))
    """
    index = np.arange(count)
    first = index * n // count
    taps = -(-(index + 1) * n // count) - first
    return _axis(first, taps, divisor=taps.astype(np.float64))


@_kept
def shared_adaptively(n, count, extended):
    """Return the transpose of means over `adaptive`: pixels and windows swap roles."""
    axis = adaptive(count, n)
    return axis._replace(offset=axis.first, weight=1 / _reals(adaptive(n, count).divisor, extended), divisor=None)


# ---- scaling --------------------------------------------------------------------------------------------


def nearest_pixels(n, count, scale):
    """Return the pixel of each position."""
    return np.minimum((np.arange(count) / scale).astype(np.intp), n - 1)


@_kept
def nearest(n, count, scale, extended):
    """Return an axis on which each position has one pixel."""
    return _axis(nearest_pixels(n, count, scale), np.ones(count, np.intp), offset=np.arange(count),
                 weight=_reals(np.ones(count), extended))


@_kept
def linear(n, count, scale, align_corners, extended):
    """Return an axis on which each position interpolates two pixels; those of weight 0 are left out.

    Examples
    --------
    >>> axis = linear(2, 4, 2, False, False)
    >>> axis.first, axis.taps, axis.weight
    (array([0, 0, 0, 1]), array([1, 2, 2, 1]), array([1.  , 0.75, 0.25, 0.25, 0.75, 1.  ]))
    """
    # Positions are top / step. The remainder is exact, so the relative error of a weight is small.
    index = _reals(np.arange(count), extended)
    if align_corners:
        top, step = index * (n - 1), max(count - 1, 1)
    else:
        top, step = np.maximum(2 * index + 1 - scale, 0), 2 * scale
    rest = np.fmod(top, step)
    first = np.minimum(np.rint((top - rest) / step).astype(np.intp), n - 1)
    second = np.where(first < n - 1, rest, 0)
    both = np.stack([step - second, second], 1) / step
    taps = 1 + (second > 0)
    return _axis(first, taps, offset=np.cumsum(taps) - taps, weight=_reals(both[both > 0], extended))


def transposed(axis, n):
    """Return for each of n pixels the positions that weigh it, and their weights."""
    position = np.repeat(np.arange(len(axis.first)), axis.taps)
    pixel = axis.first[position] + np.arange(len(position)) - axis.offset[position]
    order = np.argsort(pixel, kind="stable")
    taps = np.bincount(pixel, minlength=n)
    offset = np.cumsum(taps) - taps
    return _axis(position[order][np.minimum(offset, len(order) - 1)], taps, offset=offset, weight=axis.weight[order])
