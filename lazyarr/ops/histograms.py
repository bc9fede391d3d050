"""Histograms: the number of bins follows from the arguments, their edges possibly only from values.

NumPy is called on a single zero to validate the arguments and find the dtypes of the results.
"""
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.bin_counts import histogram_there, histogramdd_there
from lazyarr.ops.numpy_fallback import at_once
from lazyarr.ops.operands import LazyArray, cast, is_lazy, lazy, native, template, values
from lazyarr.ops.rehearsal import explain
from lazyarr.ops.table import OPAQUE, row
from lazyarr.ops.true_places import is_there

_BOOL = np.dtype(bool)
_BYTE = np.dtype("uint8")


def _few(x):
    """Return zeros in place of an array whose first axis counts values: one or none."""
    return np.zeros((min(x.shape[0], 1), *x.shape[1:]), x.dtype)


def _bins(bins):
    """Return bins for NumPy: a number, or edges as a LazyArray."""
    if np.ndim(bins) == 0:
        return values(bins)
    return lazy(bins)


def _edges_stand_in(bins):
    if not is_lazy(bins):
        return bins
    return np.arange(bins.size).astype(bins.dtype).reshape(bins.shape) if core.is_pending(bins) else bins.numpy()


def _limits(limits):
    """Return a range for NumPy; lazy limits stay lazy."""
    if limits is None or not np.iterable(limits) or isinstance(limits, np.ndarray):
        return values(limits)
    return tuple(limits)


def _limits_stand_in(limits):
    if limits is None or not any(map(is_lazy, limits)):
        return limits
    return tuple([np.array(i, x.dtype)[()] if is_lazy(x) else type(x)(i) for i, x in enumerate(limits)])


def _is_unknown(limits):
    return limits is not None and any(map(is_lazy, limits))


def _flat(a):
    """Return the values to be counted; NumPy counts bools as bytes, with a warning."""
    x = lazy(a)
    return x.ravel() if x.ndim != 1 else x


def _lowered(function, name, args, specs):
    """Return function(*args), with LazyArrays anywhere in args, as one opaque call with several results."""
    operands, fill = template(args)
    return core.opaque_multi(name, lambda *arrays: function(*fill(arrays)), operands, specs)


@row(np.histogram, kind=OPAQUE)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """Counts of values in bins, and the edges of the bins, by NumPy when evaluated."""
    x = lazy(a)
    weights = None if weights is None else lazy(weights)
    if isinstance(bins, str) or not native(x.dtype) or (weights is not None and not native(weights.dtype)):
        return at_once(np.histogram, a, bins, range, density, weights)
    bins, limits, density = _bins(bins), _limits(range), bool(density)
    if weights is not None and weights.shape != x.shape:
        explain(np.histogram, (x, bins, range, density, weights), {})
    x, weights = _flat(x), None if weights is None else _flat(weights)
    if is_there(x) and not _is_unknown(limits):
        made = histogram_there(x, values(bins), limits, density, weights)
        if made is not NotImplemented:
            return made[0], bins if is_lazy(bins) else made[1]
    with np.errstate(all="ignore"):
        counts, edges = np.histogram(_few(x), _edges_stand_in(bins), _limits_stand_in(limits), density,
                                     None if weights is None else _few(weights))
    x = cast(x, _BYTE) if x.dtype == _BOOL else x  # NumPy has warned of this
    counts, made = _lowered(np.histogram, "histogram", (x, bins, limits, density, weights),
                            [(counts.shape, counts.dtype), (edges.shape, edges.dtype)])
    return counts, bins if is_lazy(bins) else made


@row(np.histogram_bin_edges, kind=OPAQUE)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of bins, by NumPy when evaluated; at once where it chooses their number."""
    x = lazy(a)
    if isinstance(bins, str) or not native(x.dtype):
        return at_once(np.histogram_bin_edges, a, bins, range, weights)
    return histogram(x, bins, range, None, weights)[1]


@row(np.histogramdd, kind=OPAQUE)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Counts of points in boxes, and the edges of the boxes, by NumPy when evaluated."""
    points = lazy(sample) if isinstance(sample, LazyArray | np.ndarray) else [lazy(x) for x in sample]
    weights = None if weights is None else lazy(weights)
    bins = list(map(_bins, bins)) if np.iterable(bins) else operator.index(bins)
    limits = None if range is None else [None if pair is None else _limits(pair) for pair in range]
    parts = [points] if is_lazy(points) else points
    extents = {x.shape[:1] for x in (*parts, *([] if weights is None else [weights]))}
    if not all(native(x.dtype) and x.ndim for x in parts):
        return at_once(np.histogramdd, sample, bins, range, density, weights)
    if len(extents) > 1:
        explain(np.histogramdd, (points, bins, limits, density, weights), {})
    with np.errstate(all="ignore"):
        counts, edges = np.histogramdd(
            _few(points) if is_lazy(points) else list(map(_few, points)),
            list(map(_edges_stand_in, bins)) if isinstance(bins, list) else bins,
            None if limits is None else list(map(_limits_stand_in, limits)), density,
            None if weights is None else _few(weights))
    given = bins if isinstance(bins, list) else [bins] * len(edges)
    if all(map(is_there, parts)) and not (limits and any(map(_is_unknown, limits))):
        there = histogramdd_there(points, list(map(values, bins)) if isinstance(bins, list) else bins, limits, density,
                                  weights)
        if there is not NotImplemented:
            return there[0], [b if is_lazy(b) else x for b, x in zip(given, there[1], strict=True)]
    # NumPy also counts outliers, in extra boxes, and returns a view without them
    margin = 0 if density else 1
    padded = tuple([extent + 2 * margin for extent in counts.shape])
    inner = (slice(margin, -margin or None),) * counts.ndim
    dtype = counts.dtype

    def count(*args):
        counts, edges = np.histogramdd(*args)
        framed = np.zeros(padded, dtype)
        framed[inner] = counts
        return framed, *edges

    framed, *made = _lowered(count, "histogramdd", (points, bins, limits, density, weights),
                             [(padded, dtype), *[(x.shape, x.dtype) for x in edges]])
    return framed[inner] if margin else framed, [b if is_lazy(b) else x for b, x in zip(given, made, strict=True)]
