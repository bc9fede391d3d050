"""Binning on accelerators: bincount, histograms, unique.

Value-dependent extents are read by the host; kernels do the rest.
"""
import math

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr.ops.accumulation import accumulate
from lazyarr.ops.concatenation import concatenate
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.numpy_fallback import ON_DEVICES, note_immediate
from lazyarr.ops.operands import cast, lazy
from lazyarr.ops.packing import ravel_multi_index
from lazyarr.ops.reduction import any as any_true
from lazyarr.ops.sorting import argsort, lexsorted, searchsorted, sort
from lazyarr.ops.true_places import lines_at, places_of, ranks_of, where_there

_INTP, _DOUBLE = np.dtype(np.intp), np.dtype(float)
_LARGEST_EXACT = 1 << 53
_MOST_BINS = 1 << 16    # with more, rounding may move an element further than NumPy corrects
_MOST_BOXES = 1 << 26   # most boxes counted on a device
_MOST_COLUMNS = 64      # most columns that rows are sorted by, one after another
_COUNTED = "bBhHiIlLfd"


class _Counts(core.Kernel):
    """Counts of each bin number; other numbers are ignored."""

    def __init__(self, bins):
        self.bins = bins

    def __call__(self, out, x):
        out[...] = self.reference(x)

    def reference(self, x):
        """Count them by NumPy."""
        return np.bincount(x[(x >= 0) & (x < self.bins)], minlength=self.bins)


class _Sums(core.Kernel):
    """Sums of weights sorted by bin, given the end of each bin."""

    def __call__(self, out, weights, ends):
        out[...] = self.reference(weights, ends)

    def reference(self, weights, ends):
        """Add them by NumPy."""
        return np.bincount(np.repeat(np.arange(ends.size), np.diff(ends, prepend=0)), weights, ends.size)


def _counts(x, bins):
    return core.kernel("bincount", _Counts(bins), [cast(x, _INTP)], (bins,), _INTP)


def _sums(x, bins, weights):
    """Return the sums of weights of each bin number; there are no other numbers."""
    sorted_weights = lines_at(cast(weights, _DOUBLE), argsort(x, kind="stable"))
    return core.kernel("bincount", _Sums(), [sorted_weights, accumulate(np.add, _counts(x, bins))], (bins,), _DOUBLE)


def _extremes(x, axis=None):
    """Return the smallest and the largest element, like NumPy."""
    least, largest = x.min(axis), x.max(axis)
    core.evaluate(least, largest)
    return least.numpy()[()], largest.numpy()[()]


def _bincount(x, weights=None, minlength=0):
    if x.ndim != 1 or not x.size or not np.can_cast(x.dtype, _INTP) or type(minlength) is not int or minlength < 0:
        return NotImplemented
    weights = None if weights is None else lazy(weights)
    if weights is not None and (weights.shape != x.shape or not np.can_cast(weights.dtype, _DOUBLE)):
        return NotImplemented
    note_immediate("bincount")
    least, largest = _extremes(x)
    if least < 0:
        return NotImplemented   # NumPy raises
    bins = max(int(largest) + 1, minlength)
    return _counts(x, bins) if weights is None else _sums(x, bins, weights)


def histogram_there(x, bins, limits, density, weights):
    """np.histogram of a line; NotImplemented for what is left to NumPy."""
    if x.dtype.char not in _COUNTED or not x.size or (weights is not None and weights.dtype.char not in _COUNTED):
        return NotImplemented
    if weights is not None and np.ndim(bins):   # NumPy takes differences of cumulative sums there, which lose digits
        return NotImplemented
    extremes = np.array(_extremes(x)) if x.dtype.kind in "iu" or (np.ndim(bins) == 0 and limits is None) else \
        np.zeros(2, x.dtype)
    edges = np.histogram_bin_edges(extremes, bins, limits)
    if (x.dtype.kind in "iu" and max(map(abs, extremes.tolist())) > _LARGEST_EXACT) \
            or not 2 <= len(edges) <= _MOST_BINS:
        return NotImplemented
    note_immediate("histogram")
    places, bins = _places_between(edges, x) - 1, len(edges) - 1
    if weights is None:
        counts = _counts(places, bins)
    else:
        outside = core.ufunc(np.less, (places, 0))
        counts = cast(_sums(core.select(outside, bins, places), bins + 1, weights)[:-1], weights.dtype)
    made = lazy(edges).to_device(x.device)
    if not density:
        return counts, made
    widths = np.array(np.diff(edges), float)
    return counts / widths / counts.sum(), made


def _places_between(edges, x):
    """Return bin indices, where the last edge belongs to the last bin."""
    places = searchsorted(edges, x, "right")
    return core.select(core.ufunc(np.equal, (x, lazy(edges[-1:])[0])), len(edges) - 1, places)


def histogramdd_there(points, bins, limits, density, weights):
    """np.histogramdd of points, one per row, or lines of coordinates; NotImplemented for what is left to NumPy."""
    if isinstance(points, list):
        points = np.stack(points)
        points = points.T
    points = points if points.ndim == 2 else reshape_array(points, (-1, 1))
    if points.dtype.char not in _COUNTED or not points.size or \
            (weights is not None and (weights.dtype.char not in _COUNTED or weights.shape != points.shape[:1])):
        return NotImplemented
    extremes = np.stack(_extremes(points, 0))
    if points.dtype.kind in "iu" and max(map(abs, extremes.ravel().tolist())) > _LARGEST_EXACT:
        return NotImplemented
    edges = np.histogramdd(extremes, bins, limits)[1]
    padded = tuple([len(line) + 1 for line in edges])
    if math.prod(padded) > _MOST_BOXES:
        return NotImplemented
    note_immediate("histogramdd")
    places = [_places_between(line, points[:, axis]) for axis, line in enumerate(edges)]
    boxes = ravel_multi_index(tuple(places), padded)
    counts = _counts(boxes, math.prod(padded)) if weights is None else _sums(boxes, math.prod(padded), weights)
    counts = reshape_array(cast(counts, _DOUBLE), padded)[(slice(1, -1),) * len(edges)]
    if density:
        total = counts.sum()
        for axis, line in enumerate(edges):
            counts = counts / np.diff(line).reshape(-1, *[1] * (len(edges) - 1 - axis))
        counts = counts / total
    return counts, [lazy(line).to_device(points.device) for line in edges]


def _unique_rows(ar, axis, return_index, return_inverse, return_counts):
    """np.unique along an axis: rows in lexicographic order."""
    rows = np.moveaxis(ar, axis, 0)
    rows = reshape_array(rows, (rows.shape[0], -1))
    if rows.shape[1] > _MOST_COLUMNS:
        return NotImplemented
    note_immediate("unique")
    order = lexsorted([rows[:, column] for column in reversed(range(rows.shape[1]))], 0)
    rows = lines_at(rows, order)
    differs = any_true(core.ufunc(np.not_equal, (rows[1:], rows[:-1])), 1)
    starts, found = _groups(differs, order, return_index, return_inverse, return_counts)
    if return_inverse:
        ndim = np.unique(np.zeros((1,) * ar.ndim), axis=axis, return_inverse=True)[1].ndim  # depends on NumPy's version
        found[return_index] = reshape_array(found[return_index], (-1,) if ndim == 1 else [
            -1 if d == axis else 1 for d in range(ndim)])
    lines = reshape_array(lines_at(rows, starts), (-1, *np.moveaxis(ar, axis, 0).shape[1:]))
    found = [np.moveaxis(lines, 0, axis), *found]
    return tuple(found) if len(found) > 1 else found[0]


def _groups(differs, order, return_index, return_inverse, return_counts):
    """Return the results of `unique` for sorted elements, given where they differ from their predecessors."""
    ranks, count = ranks_of(concatenate([np.ones(1, bool), differs]))
    starts, found = places_of(ranks, count), []
    if return_index:
        found.append(lines_at(order, starts))
    if return_inverse:
        inverse = core.copy(ranks)
        inverse[order] = ranks - 1
        found.append(inverse)
    if return_counts:
        found.append(concatenate([starts[1:], np.array([ranks.size])]) - starts)
    return starts, found


def _unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True,
            sorted=True):
    if ar.dtype.kind == "c" or not ar.size:
        return NotImplemented
    if axis is not None:
        return _unique_rows(ar, normalize_axis_index(axis, ar.ndim), return_index, return_inverse, return_counts)
    note_immediate("unique")
    x, order = reshape_array(ar, (-1,)), None
    if return_index or return_inverse:
        order = argsort(x, kind="stable")
        line = lines_at(x, order)
    else:
        line = sort(x)
    differs = core.ufunc(np.not_equal, (line[1:], line[:-1]))
    if equal_nan and x.dtype.kind == "f":   # NaNs are last
        differs = differs & core.ufunc(np.equal, (line[:-1], line[:-1]))
    starts, found = _groups(differs, order, return_index, return_inverse, return_counts)
    if return_inverse:
        found[return_index] = reshape_array(found[return_index], ar.shape)
    found = [lines_at(line, starts), *found]
    return tuple(found) if len(found) > 1 else found[0]


ON_DEVICES.update({np.bincount: where_there(_bincount), np.unique: where_there(_unique)})
