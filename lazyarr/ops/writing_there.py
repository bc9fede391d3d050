"""Functions that move elements into an array, as writes and selections that have device kernels.

NumPy has validated the values. Like NumPy, these functions convert all values first; values may overlap the array, in
which case its old elements count.
"""
import math

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.accumulation import accumulate
from lazyarr.ops.assignment import setitem
from lazyarr.ops.elementwise import clip
from lazyarr.ops.layout import is_contiguous, reshape_array
from lazyarr.ops.operands import cast, native, on_accelerator
from lazyarr.ops.repetition import tile
from lazyarr.ops.true_places import lines_at

_BOOL, _INTP = np.dtype(bool), np.dtype(np.intp)


def is_written_there(a, value):
    """Return whether kernels can write a value to an array: neither is empty, and no imaginary part is discarded."""
    return on_accelerator(a) and native(value.dtype) and a.size > 0 and value.size > 0 \
        and not (value.dtype.kind == "c" and a.dtype.kind != "c")


def put_there(a, index, value, mode):
    """Apply np.put to arrays that are not empty."""
    if not index.size:
        return
    line = reshape_array(a, (-1,)) if is_contiguous(a) else core.copy(reshape_array(a, (-1,)))
    index = reshape_array(cast(index, _INTP), (-1,))
    if mode == "wrap":
        index = core.ufunc(np.remainder, (index, a.size))
    elif mode == "clip":
        index = clip(index, 0, a.size - 1)
    setitem(line, index, repeated(cast(value, a.dtype), index.size))
    if not is_contiguous(a):
        core.assign(a, reshape_array(line, a.shape))


def put_along_axis_there(arr, index, value, axis):
    """Apply np.put_along_axis with an index array that broadcasts to the lines of an array."""
    key = [np.arange(n).reshape(n, *[1] * (arr.ndim - 1 - d)) for d, n in enumerate(arr.shape)]
    setitem(arr, (*key[:axis], cast(index, _INTP), *key[axis + 1:]), cast(value, arr.dtype))


def place_there(arr, mask, values):
    """Apply np.place with a mask of the array's size."""
    chosen = reshape_array(cast(mask, _BOOL), arr.shape)
    values = reshape_array(cast(values, arr.dtype), (-1,))
    if values.size == 1:
        there = reshape_array(values, ())
    else:
        ranks = accumulate(np.add, reshape_array(chosen, (-1,)), dtype=_INTP)
        there = reshape_array(lines_at(values, core.ufunc(np.remainder, (ranks - 1, values.size))), arr.shape)
    core.assign(arr, core.select(chosen, there, arr))


def putmask_there(a, mask, values):
    """Apply np.putmask with a mask of the array's size."""
    there = reshape_array(repeated(cast(values, a.dtype), a.size), a.shape)
    core.assign(a, core.select(reshape_array(cast(mask, _BOOL), a.shape), there, a))


def fill_diagonal_there(a, value, wrap):
    """Apply np.fill_diagonal to an array that is contiguous if the diagonal wraps."""
    count, strides = min(a.shape), (sum(a.strides),)
    if wrap and a.ndim == 2:
        count, strides = -(-a.size // (a.shape[1] + 1)), ((a.shape[1] + 1) * a.itemsize,)
    core.assign(core.view(a, (count,), strides), repeated(cast(value, a.dtype), count))


def repeated(value, count):
    """Repeat a flattened value cyclically to `count` elements."""
    line = reshape_array(value, (-1,))
    if line.size == 1:
        return np.broadcast_to(line, (count,))
    return (tile(line, math.ceil(count / line.size)) if line.size < count else line)[:count]
