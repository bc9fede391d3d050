"""Arguments of the native kernel that writes through index arrays.

Each function gives a `write` for `change` in `assignment.py`, or None where that is NumPy's. Where NumPy is as fast, or
would traverse the indices in an order of its own, or has an error to raise, `by_numpy` does it.
"""
import itertools
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import native

# Places from which on the kernel is faster than NumPy, and elements where NumPy is quick: in an array of one axis, and
# where a few large blocks are written.
LEAST, LEAST_QUICK = 2000, 1 << 18


def are_indices(arrays):
    """Whether the native kernels read these index arrays."""
    return all(array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < 8) for array in arrays)


def through_key(x, key, by_numpy, operation=None):
    """Writing through a key with index arrays, slices and integers: write(array, value, *index arrays).

    The key fits x and has no masks; `by_numpy` does the same. `operation` is the ufunc that combines elements with the
    value's, in the dtype of x; they are assigned by default.
    """
    if not key.arrays:
        return None
    shape, joined = key.shape(x.shape), key.joined
    places = shape if operation is not None else joined
    quick = math.prod(shape) < LEAST_QUICK and (x.ndim == 1 or math.prod(places) < LEAST)
    if quick or not _writes(x) or not are_indices(key.arrays) \
            or any(item is None for item in key.items):
        return None
    kept = tuple([item if isinstance(item, slice) else slice(None) for item in key.items])
    numbers = [item if isinstance(item, int) else None for item in key.items if not isinstance(item, slice)]
    indexed = tuple([axis for axis, item in enumerate(key.items) if not isinstance(item, slice)])
    block = tuple([axis for axis in range(x.ndim) if axis not in indexed])
    before = key.before
    alone, ahead = math.prod(shape) == math.prod(joined), [0] * len(block)  # blocks of one element

    def write(array, value, *arrays):
        remaining = iter(arrays)
        named = [np.asarray(next(remaining) if number is None else number) for number in numbers]
        indices = [item.astype(np.intp, copy=False) for item in named]
        if alone:
            given = [] if operation is not None else [_spread(value, shape, before, len(joined))[(..., *ahead)]]
            if not in_c_order(joined, [*named, *given], len(named)):
                return by_numpy(array, value, *arrays)
        spread = _spread(np.asarray(value, array.dtype), shape, before, len(joined))
        if not joined:
            spread = spread[np.newaxis]
        status = core.kernels.scatter.scatter(array[kept], spread, tuple(indices), joined or (1,),
                                              (-1,) * max(len(joined), 1), indexed, block, 0, operation)
        if status < 0:
            return by_numpy(array, value, *arrays)
        # NumPy names the ufunc only where it takes its short way.
        short = array.ndim == 1 and value.ndim < 2 and value.dtype == array.dtype
        return (status, operation.__name__ if short else "at") if status else None

    return write


def along_axis(x, index, joined, axis, by_numpy):
    """Writing to places in each line along an axis, whose indices broadcast to a shape; as `through_key` otherwise."""
    if math.prod(joined) < LEAST or not _writes(x) or not are_indices([index]):
        return None
    walked = tuple([-1 if d == axis else d for d in range(x.ndim)])

    def write(array, index, value):
        spread = _spread(value, joined, 0, len(joined))
        if not in_c_order(joined, [index, spread], len(joined)):
            return by_numpy(array, index, value)
        index = index.astype(np.intp, copy=False)
        spread = _spread(np.asarray(value, array.dtype), joined, 0, len(joined))
        status = core.kernels.scatter.scatter(array, spread, (index,), joined, walked, (axis,), ())
        return by_numpy(array, index, value) if status < 0 else None

    return write


def to_positions(x, index, value, mode, by_numpy):
    """Writing to positions in the flattened array; as `through_key` otherwise."""
    if index.size < LEAST or not _writes(x) or not are_indices([index]) or not x.flags.c_contiguous \
            or value.size not in (1, index.size):
        return None

    def write(array, index, value):
        places, flat = index.astype(np.intp, copy=False).reshape(-1), np.asarray(value, array.dtype).reshape(-1)
        status = core.kernels.scatter.scatter(array.reshape(-1), np.broadcast_to(flat, places.shape), (places,),
                                              places.shape, (-1,), (0,), (), mode)
        return by_numpy(array, index, value) if status < 0 else None

    return write


def _writes(x):
    """Whether the kernel writes to arrays like x."""
    return native(x.dtype) and x.flags.aligned and not core.overlaps_itself(x)


def _spread(value, shape, before, joined):
    """Broadcast a value to a shape and move the joined axes, which stand behind `before` axes, to the front."""
    if value.ndim > len(shape):
        value = value.reshape(value.shape[value.ndim - len(shape):])
    if value.shape != shape:
        value = np.broadcast_to(value, shape)
    if not before:
        return value
    axes = range(len(shape))
    return value.transpose(*axes[before:before + joined], *axes[:before], *axes[before + joined:])


def in_c_order(shape, arrays, indices):
    """Whether NumPy's iterator traverses arrays of places in C order; of repeated places the last one counts.

    It sorts the axes by their strides, and turns those round whose strides are all negative, but for one index array
    of one axis.
    """
    if len(shape) < 2 and indices == 1:
        return True
    forward = [n == 1 for n in shape]
    for array in arrays:
        steps = [0] * (len(shape) - array.ndim) + [
            stride if n > 1 else 0 for stride, n in zip(array.strides, array.shape, strict=True)]
        reach = [abs(step) for step in steps if step]
        if any(inner > outer for outer, inner in itertools.pairwise(reach)):
            return False
        forward = [known or step > 0 for known, step in zip(forward, steps, strict=True)]
    return all(forward)
