"""Few columns: neighbours along the last axis of a convolution's result computed together, as columns of one position.

A tile has as many columns as vectors have lanes; fewer leave lanes idle. The pixels of some neighbours, side by side in
memory, are the columns of one position instead, over all taps that any of them sees. Weights of zero fill the gaps. Of
three taps, and four neighbours at a time:

    result 0    a b c . . .
    result 1    . a b c . .   ->   one position of six taps and four columns; the next lies four pixels further
    result 2    . . a b c .
    result 3    . . . a b c

Gradients for the input of a strided convolution are joined likewise: their neighbours have other taps over them.

Weights of zero pass infinities and NaN on to neighbours. Lines with results that are not finite are therefore computed
anew, one neighbour after the other.
"""
from lazyarr._core.host.tunables cimport tunable

import functools
import math
from typing import NamedTuple

import numpy as np

_MOST_BYTES = 1 << 20   # of weights
_LEAST_WORK = 1 << 20   # products, for which the weights are made
cdef double WORTHWHILE = 0.8    # of the work of computing neighbours separately
tunable("path.joined", &WORTHWHILE, "times", 1e-3, 1e3,
        "Part of the work, as estimated, below which neighbours in convolutions to few columns are joined.")
_TILE = 14              # positions
_IN_FLIGHT = 8          # vectors whose sums a processor computes at a time
_BEYOND = 1 << 62       # all taps


class Joined(NamedTuple):
    """How many neighbours are joined, what part of their work is left, where their taps lie, and the tap over each."""

    together: int
    work: float
    whole: int          # results; those after them are left
    first: int          # tap of the first position
    step: int           # elements from one position to the next
    taps: np.ndarray    # [joined tap, neighbour]; one more than the last for zeros


def join(out, w, extents):
    """How to join the results along the last axis, None if that is not worth it.

    Parameters
    ----------
    out : numpy.ndarray
        [batch, n0, n1, n2, columns].
    w : numpy.ndarray
        [t0, t1, t2, channels, columns].
    extents : tuple of int
        (step, per, offset, apart): result h is the sum over taps t of x[(step * h + offset + apart * t) / per] @ w[t],
        of those where that is an integer.

    Returns
    -------
    Joined or None
    """
    if out.strides[3] != out.shape[4] * out.itemsize:
        return None
    found = cheapest(out.shape, w.shape, out.itemsize, extents)
    return found if found is not None and found.work < WORTHWHILE else None


def cheapest(shape, weights, itemsize, extents):
    """The cheapest way to join the results of a shape, with weights of a shape, not empty; None if there is none.

    `extents` are those of `join`.
    """
    lanes, columns, products = 64 // itemsize, shape[4], math.prod(weights)
    if 2 * columns > lanes or shape[3] < 2 or math.prod(shape) * (products // columns) < _LEAST_WORK \
            or products * itemsize > _MOST_BYTES:
        return None
    most = _MOST_BYTES // (products // weights[2] * itemsize)
    return find(shape[3], weights[2], columns, lanes, most, *extents)


@functools.lru_cache(256)
def find(extent, taps, columns, lanes, most, step, per, offset, apart):
    """The cheapest number of neighbours, counting vectors of sums; None where there is none.

    Numbers are lanes of a vector, taps of joined weights at most, and those of `join`.
    """
    best, least, alone = None, math.inf, taps * _rows(extent // per, 1)
    largest = min(extent, 2 * lanes // columns)
    at = (step * np.arange(largest) + offset)[:, None] + apart * np.arange(taps)
    place, met = at // per, at % per == 0  # [neighbour, tap]
    lowest = np.minimum.accumulate(np.where(met, place, _BEYOND).min(1)).tolist()
    highest = np.maximum.accumulate(np.where(met, place, -_BEYOND).max(1)).tolist()
    for together in range(per, largest + 1, per):
        first, last = lowest[together - 1], highest[together - 1]
        if first > last:
            return None
        count = last - first + 1
        positions, left = divmod(extent, together)
        cost = count * _rows(positions, -(-together * columns // lanes)) + taps / per * left
        if cost < least and count * together <= most:
            best, least = (together, first, count), cost
    if best is None:
        return None
    together, first, count = best
    table = np.full((count, together), taps)
    neighbour, tap = np.nonzero(met[:together])
    table[place[neighbour, tap] - first, neighbour] = tap
    return Joined(together, least / alone, extent // together * together, first, step * together // per, table)


def _rows(positions, vectors):
    """Vectors of sums for a number of positions; few of them wait for each other."""
    tiles = -(-positions // _TILE)
    return max(positions * vectors, tiles * _IN_FLIGHT)


def joined_results(out, joined):
    """The results as their neighbours' columns: a view."""
    columns = out.shape[4]
    return out[:, :, :, :joined.whole].reshape(*out.shape[:3], joined.whole // joined.together,
                                               joined.together * columns)


def joined_weights(w, joined):
    """The weights of joined results: [tap, tap, joined tap, channel, columns of all neighbours]."""
    padded = np.zeros((*w.shape[:2], w.shape[2] + 1, *w.shape[3:]), w.dtype)
    padded[:, :, :-1] = w
    over = padded[:, :, joined.taps].swapaxes(3, 4)  # tap, tap, joined tap, channel, neighbour, column
    return over.reshape(*over.shape[:4], joined.together * w.shape[4])
