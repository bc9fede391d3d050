"""Few columns: neighbouring results along the last axis of a convolution computed as columns of one position.

A tile has as many columns as vectors have lanes; with fewer, lanes are idle. So neighbouring results, adjacent in
memory, become columns of one position, over all taps that any of them reads, with zero weights in the gaps. For three
taps and four neighbours:

    result 0    a b c . . .
    result 1    . a b c . .   ->   one position of six taps and four columns; the next is four pixels further
    result 2    . . a b c .
    result 3    . . . a b c

Gradients for the input of a strided convolution are packed likewise, with other taps per neighbour.

Zero weights propagate infinities and NaN to neighbours, so lines with non-finite results are recomputed one neighbour
at a time.
"""
from lazyarr._core.host.tunables cimport tunable

import functools
import math
from typing import NamedTuple

import numpy as np

_MOST_BYTES = 1 << 20   # most bytes of weights
_LEAST_WORK = 1 << 20   # least products that justify making the weights
cdef double WORTHWHILE = 0.8    # largest fraction of the work without packing
tunable("path.joined", &WORTHWHILE, "times", 1e-3, 1e3,
        "Part of the work, as estimated, below which neighbours in convolutions to few columns are joined.")
_TILE = 14              # positions of a tile
_IN_FLIGHT = 8          # vectors whose sums a processor computes concurrently
_BEYOND = 1 << 62       # beyond all taps


class Joined(NamedTuple):
    """How many neighbours are packed, the remaining fraction of work, and the taps of each."""

    together: int
    work: float
    whole: int          # packed results; the rest is computed separately
    first: int          # tap of the first position
    step: int           # elements between positions
    taps: np.ndarray    # [joined tap, neighbour]; the number of taps stands for zeros


def join(out, w, extents):
    """Return how to pack results along the last axis, None if that does not pay off.

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
    """Return the cheapest packing for given shapes of results and (non-empty) weights; None if there is none.

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
    """Return the cheapest number of neighbours, counting vectors of sums; None if there is none.

    Arguments are the lanes of a vector, the most taps of joined weights, and those of `join`.
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
    """Return the number of vectors of sums for some positions; few of them wait for each other."""
    tiles = -(-positions // _TILE)
    return max(positions * vectors, tiles * _IN_FLIGHT)


def joined_results(out, joined):
    """Return a view of the results with neighbours as columns."""
    columns = out.shape[4]
    return out[:, :, :, :joined.whole].reshape(*out.shape[:3], joined.whole // joined.together,
                                               joined.together * columns)


def joined_weights(w, joined):
    """Return the weights of packed results: [tap, tap, joined tap, channel, columns of all neighbours]."""
    padded = np.zeros((*w.shape[:2], w.shape[2] + 1, *w.shape[3:]), w.dtype)
    padded[:, :, :-1] = w
    over = padded[:, :, joined.taps].swapaxes(3, 4)  # tap, tap, joined tap, channel, neighbour, column
    return over.reshape(*over.shape[:4], joined.together * w.shape[4])
