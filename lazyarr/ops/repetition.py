"""Repeat elements along axes, or tile whole arrays."""
import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr.ops.gathering import Gather
from lazyarr.ops.layout import ravel, reshape_array
from lazyarr.ops.numpy_fallback import at_once, call
from lazyarr.ops.operands import lazy, on_accelerator, values
from lazyarr.ops.rehearsal import OwnError
from lazyarr.ops.table import row
from lazyarr.ops.taking import take

_MOST_BYTES = 1 << 62


class _Repeat(core.Kernel):
    """Repeat each element ("repeat") or the whole array ("tile") `times` times along each axis."""

    def __init__(self, name, times):
        self.name, self.times = name, times
        self.repeats = times if name == "repeat" else None

    def __call__(self, out, x):
        core.kernels.repeat.fill(out, x, self.times, self.name == "tile")

    def reference(self, x):
        """Repeat with NumPy, axis by axis."""
        if self.name == "tile":
            return np.tile(x, self.times)
        for axis, times in enumerate(self.times):
            x = np.repeat(x, times, axis)
        return x

    def batch(self, call, operands, batched, size):
        return spread(*operands, (1, *self.times), self.name)


def spread(x, times, name):
    """Return a pending repetition ("repeat") or tiling ("tile")."""
    shape = tuple(map(operator.mul, x.shape, times))
    try:
        return core.kernel(name, _Repeat(name, times), [x], shape, x.dtype)
    except ValueError as error:
        raise OwnError(f"{name}: {error}") from None  # otherwise NumPy would try to allocate it


def _checked_count(count, extent):
    """Return one count for all elements of an axis as an int, or an array with a count for each element."""
    if type(count) is int and count >= 0:
        return count
    counts = np.asarray(values(count))
    if counts.dtype.kind not in "biu" or counts.ndim > 1 or counts.size not in (1, extent) or (counts < 0).any():
        raise OwnError(f"repeat: repeats must be a count, or one for each of {extent} elements, got {count!r}")
    return int(counts.flat[0]) if counts.size == 1 else counts


def _repeat_axes(x, repeats, axes):
    """Repeat along several axes, in one pass if each axis has a single count."""
    if not isinstance(repeats, tuple):
        raise TypeError("repeat: several axes need a tuple of repeats")  # NumPy's message
    if len(repeats) != len(axes):
        raise OwnError(f"repeat: {len(axes)} axes need a tuple of as many repeats, got {repeats!r}")
    axes = [normalize_axis_index(axis, x.ndim) for axis in axes]
    if len({*axes}) < len(axes):
        raise OwnError("repeat: an axis is given twice")
    times, one_by_one = [1] * x.ndim, []
    is_accepted = _Repeat.accept(x)
    if not axes and not is_accepted:
        return core.copy(x, order="C")
    for axis, count in zip(axes, repeats, strict=True):
        count = _checked_count(count, x.shape[axis])
        if is_accepted and type(count) is int:
            times[axis] = count
        else:
            one_by_one.append((axis, count))
    for axis, count in one_by_one:
        try:
            x = repeat(x, count, axis)
        except ValueError as error:
            raise OwnError(f"repeat: {error}") from None
    return spread(x, tuple(times), "repeat") if len(one_by_one) < len(axes) or not axes else x


@row(np.repeat)
def repeat(a, repeats, axis=None):
    """Each element repeated along an axis, or along several: tuples of counts and axes, in one pass.

    Parameters
    ----------
    a : array_like
    repeats : int, array_like of int, or tuple of these
        For each element of the axis; with a tuple of axes, for each of them.
    axis : int or tuple of int, optional
        All elements in order by default.

    Raises
    ------
    ValueError
        For a negative count, or tuples that do not fit together.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.repeat(la.array([[1, 2]]), (2, 3), axis=(0, 1))
    array([[1, 1, 1, 2, 2, 2],
           [1, 1, 1, 2, 2, 2]])
    """
    x = lazy(a)
    if isinstance(axis, tuple):
        return _repeat_axes(x, repeats, axis)
    if axis is None or x.ndim == 0:
        x, axis = ravel(x), 0 if axis is None else axis
    axis = normalize_axis_index(axis, x.ndim)
    counts = np.asarray(values(repeats))
    shape = x.shape
    if counts.size == 1 and counts.dtype.kind in "iu" and counts.flat[0] >= 0 and _Repeat.accept(x):
        return spread(x, (*[1] * axis, int(counts.flat[0]), *[1] * (x.ndim - axis - 1)), "repeat")
    if counts.dtype.kind not in "biu" or counts.ndim != 1 or counts.size != shape[axis] or (counts < 0).any():
        return at_once(np.repeat, x, repeats, axis)
    if counts.sum(dtype=float) * x.itemsize > _MOST_BYTES:  # an integer sum might overflow
        raise MemoryError("repeat: repeats add up to an array that is too big")
    if on_accelerator(x) and Gather.accept(x):
        return take(x, np.repeat(np.arange(shape[axis]), counts), axis)
    return call(functools.partial(np.repeat, repeats=counts, axis=axis), [x],
                (*shape[:axis], int(counts.sum()), *shape[axis + 1:]), x.dtype, name="repeat")


@row(np.tile)
def tile(A, reps):
    """Copies of an array side by side."""
    x = lazy(A)
    try:
        times = tuple(values(reps))
    except TypeError:
        times = reps,
    if not _Repeat.accept(x) or not all(isinstance(n, int | np.integer) and n >= 0 for n in times):
        return at_once(np.tile, A, reps)
    times = (*[1] * (x.ndim - len(times)), *map(int, times))
    if x.ndim < len(times):
        x = reshape_array(x, (1,) * (len(times) - x.ndim) + x.shape)
    if times.count(1) == len(times):
        return core.copy(x, order="K")
    made = spread(x, times, "tile")
    return core.view(made, made.shape, made.strides)  # NumPy returns a view of the repeated array, too
