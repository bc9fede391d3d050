"""Elements in bins on devices that compute by themselves: bincount, histogram, unique.

Extents that depend on values are read; the rest is done by kernels.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.accumulation import accumulate
from lazyarr.ops.concatenation import concatenate
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.numpy_fallback import ON_DEVICES, note_immediate
from lazyarr.ops.operands import cast, lazy
from lazyarr.ops.sorting import argsort, searchsorted, sort
from lazyarr.ops.true_places import lines_at, places_of, ranks_of, where_there

_INTP, _DOUBLE = np.dtype(np.intp), np.dtype(float)
_LARGEST_EXACT = 1 << 53
_MOST_BINS = 1 << 16    # with more, rounding may move an element by more than NumPy puts right


class _Counts(core.Kernel):
    """How often each number of a bin occurs; others are left out."""

    def __init__(self, bins):
        self.bins = bins

    def __call__(self, out, x):
        out[...] = self.reference(x)

    def reference(self, x):
        """Count them by NumPy."""
        return np.bincount(x[(x >= 0) & (x < self.bins)], minlength=self.bins)


class _Sums(core.Kernel):
    """Sums of weights that are sorted by bins, whose ends are given."""

    def __call__(self, out, weights, ends):
        out[...] = self.reference(weights, ends)

    def reference(self, weights, ends):
        """Add them by NumPy."""
        return np.bincount(np.repeat(np.arange(ends.size), np.diff(ends, prepend=0)), weights, ends.size)


def _counts(x, bins):
    return core.kernel("bincount", _Counts(bins), [cast(x, _INTP)], (bins,), _INTP)


def _extremes(x):
    """The smallest and the largest element, as NumPy's scalars."""
    least, largest = x.min(), x.max()
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
        return NotImplemented   # which raises
    counts = _counts(x, max(int(largest) + 1, minlength))
    if weights is None:
        return counts
    sorted_weights = lines_at(cast(weights, _DOUBLE), argsort(x, kind="stable"))
    return core.kernel("bincount", _Sums(), [sorted_weights, accumulate(np.add, counts)], counts.shape, _DOUBLE)


def histogram_there(x, bins, limits, density):
    """np.histogram of a line without weights; NotImplemented for what NumPy is to do."""
    if x.dtype.char not in "bBhHiIlLfd" or not x.size:
        return NotImplemented
    extremes = np.array(_extremes(x)) if x.dtype.kind in "iu" or (np.ndim(bins) == 0 and limits is None) else \
        np.zeros(2, x.dtype)
    edges = np.histogram_bin_edges(extremes, bins, limits)
    if (x.dtype.kind in "iu" and max(map(abs, extremes.tolist())) > _LARGEST_EXACT) \
            or not 2 <= len(edges) <= _MOST_BINS:
        return NotImplemented
    note_immediate("histogram")
    places = searchsorted(edges, x, "right") - 1
    counts = _counts(core.select(core.ufunc(np.equal, (x, lazy(edges[-1:])[0])), len(edges) - 2, places),
                     len(edges) - 1)
    made = lazy(edges).to_device(x.device)
    if not density:
        return counts, made
    widths = np.array(np.diff(edges), float)
    return counts / widths / counts.sum(), made


def _unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True,
            sorted=True):
    if axis is not None or ar.dtype.kind == "c" or not ar.size:
        return NotImplemented
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
    ranks, count = ranks_of(concatenate([np.ones(1, bool), differs]))
    starts = places_of(ranks, count)
    found = [lines_at(line, starts)]
    if return_index:
        found.append(lines_at(order, starts))
    if return_inverse:
        inverse = core.copy(ranks)
        inverse[order] = ranks - 1
        found.append(reshape_array(inverse, ar.shape))
    if return_counts:
        found.append(concatenate([starts[1:], np.array([x.size])]) - starts)
    return tuple(found) if len(found) > 1 else found[0]


ON_DEVICES.update({np.bincount: where_there(_bincount), np.unique: where_there(_unique)})
