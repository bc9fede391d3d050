"""Places of true elements on devices that compute by themselves.

A running sum numbers the true elements, and a kernel stores the place of each under its number. Only how many there are
is read, since shapes depend on that.
"""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.accumulation import accumulate
from lazyarr.ops.gathering import Gather
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.numpy_fallback import ON_DEVICES, note_immediate
from lazyarr.ops.operands import LazyArray, on_accelerator

CLIP = 2  # as the native kernels know it
_BOOL, _INTP = np.dtype(bool), np.dtype(np.intp)


class _Coordinates(core.Kernel):
    """Coordinates, a row each, of the true elements of an array of this shape, from their running sum."""

    def __init__(self, shape):
        self.shape = shape

    def __call__(self, out, ranks):
        out[...] = self.reference(ranks)

    def reference(self, ranks):
        """Find them by NumPy."""
        return np.stack(np.unravel_index(np.flatnonzero(np.diff(ranks, prepend=0)), self.shape), -1)


def ranks_of(mask):
    """The running sum of a mask in C order, flat, and how many elements are true."""
    flat = reshape_array(mask, (-1,))
    if not mask.size:
        return core.copy(flat, _INTP), 0
    ranks = accumulate(np.add, flat, dtype=_INTP)
    return ranks, int(ranks[-1])


def coordinates(mask, axes=None):
    """Coordinates of a mask's true elements, a row each, in C order; `axes` is the memory order of the result."""
    return _coordinates(*ranks_of(mask), mask.shape, axes)


def places_of(ranks, count):
    """The places of the true elements of a line, from what `ranks_of` has returned."""
    return _coordinates(ranks, count, ranks.shape)[:, 0]


def _coordinates(ranks, count, shape, axes=None):
    return core.kernel("nonzero", _Coordinates(shape), [ranks], (count, len(shape)), _INTP, axes)


def nonzero(mask):
    """np.nonzero, by kernels on a device and at once elsewhere."""
    if not on_accelerator(mask):
        return np.nonzero(mask.numpy())
    found = coordinates(mask)
    return tuple([found[:, axis] for axis in range(mask.ndim)])  # NumPy gives views of columns, too


def elements_at(x, mask):
    """Elements of x under a mask of some or all of its leading axes."""
    lines = reshape_array(x, (mask.size, *x.shape[mask.ndim:]))
    return lines_at(lines, places_of(*ranks_of(mask)))


def lines_at(x, places):
    """x[places] for places of which those out of bounds are of no interest."""
    def by_numpy(v, i):
        return np.take(v, i, 0, mode="clip")

    if not x.size:
        return core.copy(x[:0])
    shape = places.shape + x.shape[1:]
    plan = {"joined": places.shape, "walked": (-1,) * places.ndim, "indexed": (0,), "block": tuple(range(1, x.ndim)),
            "mode": CLIP}
    return Gather("take", by_numpy, None, plan).node(x, [places], shape)


def is_there(x):
    """Whether an argument is an array in whose memory kernels can look for elements."""
    return isinstance(x, LazyArray) and x.ndim > 0 and core.Kernel.accept(x) and on_accelerator(x) \
        and not vjp.is_history_kept()


def _truth(x, name):
    note_immediate(name)
    return x if x.dtype == _BOOL else core.copy(x, _BOOL)


def _nonzero(a):
    return nonzero(_truth(a, "nonzero"))


def _flatnonzero(a):
    return coordinates(_truth(reshape_array(a, (-1,)), "flatnonzero"))[:, 0]


def _argwhere(a):
    return coordinates(_truth(a, "argwhere"), (1, 0))


def _extract(condition, arr):
    if not isinstance(arr, LazyArray) or not core.Kernel.accept(arr) or arr.size != condition.size:
        return NotImplemented
    return elements_at(reshape_array(arr, (-1,)), _truth(reshape_array(condition, (-1,)), "extract"))


def where_there(function):
    """`function` where its first argument is an array on a device, else NotImplemented."""
    @functools.wraps(function)
    def found(*args, **kwargs):
        return function(*args, **kwargs) if args and is_there(args[0]) else NotImplemented

    return found


ON_DEVICES.update({np.nonzero: where_there(_nonzero), np.flatnonzero: where_there(_flatnonzero),
                   np.argwhere: where_there(_argwhere), np.extract: where_there(_extract)})
