"""Native writes through index arrays.

Each function returns a `write` for `change` in `assignment.py`, or None where NumPy is as fast. At run time, `write`
calls `by_numpy` if NumPy would visit the indices in another order than C order, or would raise.
"""
import itertools
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import native

# The kernel is faster than NumPy from LEAST indices on. NumPy stays faster below LEAST_QUICK elements in
# one-dimensional arrays and in writes of a few large blocks.
LEAST, LEAST_QUICK = 2000, 1 << 18


def are_indices(arrays):
    """Return whether the native kernels support these index arrays."""
    return all(array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < 8) for array in arrays)


def through_key(x, key, by_numpy, operation=None):
    """Return `write(array, value, *index_arrays)` for a key of index arrays, slices and integers.

    The key fits x and has no masks; `by_numpy` performs the same write. `operation` is a ufunc that combines old
    elements with the value in the dtype of x; by default, elements are assigned.
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
        # NumPy names the ufunc in errors only on its fast path.
        short = array.ndim == 1 and value.ndim < 2 and value.dtype == array.dtype
        return (status, operation.__name__ if short else "at") if status else None

    return write


def along_axis(x, index, joined, axis, by_numpy):
    """Return a `write` for one set of indices per line along an axis, broadcast to `joined`; see `through_key`."""
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
    """Return a `write` for positions in the flattened array; see `through_key`."""
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
    """Return whether the kernel can write to x."""
    return native(x.dtype) and x.flags.aligned and not core.overlaps_itself(x)


def _spread(value, shape, before, joined):
    """Broadcast a value to a shape and move the joined axes, which follow `before` other axes, to the front."""
    if value.ndim > len(shape):
        value = value.reshape(value.shape[value.ndim - len(shape):])
    if value.shape != shape:
        value = np.broadcast_to(value, shape)
    if not before:
        return value
    axes = range(len(shape))
    return value.transpose(*axes[before:before + joined], *axes[:before], *axes[before + joined:])


def in_c_order(shape, arrays, indices):
    """Return whether NumPy's iterator visits the indices in C order, so that the last of repeated indices wins.

    The iterator sorts axes by stride and reverses axes whose strides are all negative, except for a single
    one-dimensional index array.
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
