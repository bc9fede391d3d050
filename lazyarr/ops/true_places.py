"""Indices of true elements on accelerators.

A running sum numbers the true elements, and a kernel stores the index of each under its number. Only their count is
copied to the host, as shapes depend on it.
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

CLIP = 2  # the mode's number in native kernels
_BOOL, _INTP = np.dtype(bool), np.dtype(np.intp)


class _Coordinates(core.Kernel):
    """Compute the coordinates of true elements, one row each, from the running sum of a mask of this shape."""

    def __init__(self, shape):
        self.shape = shape

    def __call__(self, out, ranks):
        out[...] = self.reference(ranks)

    def reference(self, ranks):
        """Compute the coordinates with NumPy."""
        return np.stack(np.unravel_index(np.flatnonzero(np.diff(ranks, prepend=0)), self.shape), -1)


def ranks_of(mask):
    """Return the flat running sum of a mask in C order, and the number of true elements."""
    flat = reshape_array(mask, (-1,))
    if not mask.size:
        return core.copy(flat, _INTP), 0
    ranks = accumulate(np.add, flat, dtype=_INTP)
    return ranks, int(ranks[-1])


def coordinates(mask, axes=None):
    """Return the coordinates of true elements in C order, one row each; `axes` is the memory order of the result."""
    return _coordinates(*ranks_of(mask), mask.shape, axes)


def places_of(ranks, count):
    """Return the indices of the true elements of a line, given the result of `ranks_of`."""
    return _coordinates(ranks, count, ranks.shape)[:, 0]


def _coordinates(ranks, count, shape, axes=None):
    return core.kernel("nonzero", _Coordinates(shape), [ranks], (count, len(shape)), _INTP, axes)


def nonzero(mask):
    """Compute np.nonzero with kernels on an accelerator, and at once elsewhere."""
    if not on_accelerator(mask):
        return np.nonzero(mask.numpy())
    found = coordinates(mask)
    return tuple([found[:, axis] for axis in range(mask.ndim)])  # NumPy returns views of columns, too


def elements_at(x, mask):
    """Return the elements of x where a mask of all or its leading axes is true."""
    if mask.ndim < x.ndim and not x.flags.c_contiguous:  # the result has the memory order of x
        return x[nonzero(mask)]
    lines = reshape_array(x, (mask.size, *x.shape[mask.ndim:]))
    return lines_at(lines, places_of(*ranks_of(mask)))


def lines_at(x, places):
    """Return x[places]; out-of-bounds places yield arbitrary elements."""
    def by_numpy(v, i):
        return np.take(v, i, 0, mode="clip")

    shape = places.shape + x.shape[1:]
    if not x.size:
        return core.copy(reshape_array(x, shape))
    plan = {"joined": places.shape, "walked": (-1,) * places.ndim, "indexed": (0,), "block": tuple(range(1, x.ndim)),
            "mode": CLIP}
    return Gather("take", by_numpy, None, plan).node(x, [places], shape)


def is_there(x):
    """Return whether kernels can search an argument: an array on an accelerator, outside differentiation."""
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
    """Restrict a function to calls whose first argument is on an accelerator; others return NotImplemented."""
    @functools.wraps(function)
    def found(*args, **kwargs):
        return function(*args, **kwargs) if args and is_there(args[0]) else NotImplemented

    return found


ON_DEVICES.update({np.nonzero: where_there(_nonzero), np.flatnonzero: where_there(_flatnonzero),
                   np.argwhere: where_there(_argwhere), np.extract: where_there(_extract)})
