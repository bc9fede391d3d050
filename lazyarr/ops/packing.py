"""Packed numbers: bits in bytes, several indices in one."""
import functools
import math
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.concatenation import unstack_array
from lazyarr.ops.forms import lower
from lazyarr.ops.layout import order_of
from lazyarr.ops.numpy_fallback import at_once, call
from lazyarr.ops.operands import is_lazy, known_outside, lazy, native, probe, values
from lazyarr.ops.table import OPAQUE, row

_BYTE = np.dtype("uint8")
_INTP = np.dtype(np.intp)


def _axis(x, axis):
    """Return x and its axis; flattened if there is none."""
    if axis is None:
        return x.ravel(), 0
    return x, normalize_axis_index(operator.index(axis), x.ndim)


def _memory_axes(x):
    """Return the memory order of bits and bytes: Fortran order if the source has it, else C order."""
    return tuple(range(x.ndim))[::-1] if order_of(x) == "F" else None


def _extents(shape):
    """Return a shape, or one extent, as integers."""
    return list(map(operator.index, shape if np.iterable(shape) else (shape,)))


@row(np.packbits, kind=OPAQUE)
def packbits(a, /, axis=None, bitorder="big"):
    """Booleans as the bits of bytes, by NumPy when evaluated."""
    x = lazy(a)
    np.packbits(np.zeros(1, x.dtype), None, bitorder)  # raises
    if not native(x.dtype) or x.ndim == 0:
        return at_once(np.packbits, x, axis, bitorder)
    x, axis = _axis(x, axis)
    shape = (*x.shape[:axis], -(-x.shape[axis] // 8), *x.shape[axis + 1:])
    function = functools.partial(np.packbits, axis=axis, bitorder=bitorder)
    return call(function, [x], shape, _BYTE, name="packbits", axes=_memory_axes(x))


@row(np.unpackbits, kind=OPAQUE)
def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """The bits of bytes as booleans, by NumPy when evaluated."""
    x = lazy(a)
    np.unpackbits(np.zeros(1, x.dtype), None, None, bitorder)  # raises
    if x.ndim == 0:
        return at_once(np.unpackbits, x, axis, count, bitorder)
    x, axis = _axis(x, axis)
    # NumPy's own count of bits, if the axis has a byte
    extent = np.unpackbits(np.zeros(x.shape[axis], _BYTE), 0, count).size
    shape = (*x.shape[:axis], extent, *x.shape[axis + 1:])
    function = functools.partial(np.unpackbits, axis=axis, count=count, bitorder=bitorder)
    return call(function, [x], shape, _BYTE, name="unpackbits", axes=_memory_axes(x))


@row(np.ravel_multi_index, kind=OPAQUE)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Indices of several axes as positions in the flattened array, by NumPy when evaluated."""
    indices = [lazy(index) for index in (unstack_array(multi_index, 0) if is_lazy(multi_index) else multi_index)]
    dims = values(dims)
    if mode == "raise" and isinstance(dims, tuple | list) and any(
            known_outside(index, 0, extent) for index, extent in zip(indices, dims, strict=False)):
        return at_once(np.ravel_multi_index, tuple(indices), dims, mode, order)  # raises

    def ravel(*indices):
        return np.ravel_multi_index(indices, dims, mode, order)

    extents = _extents(dims)
    modes = (mode,) * len(indices) if isinstance(mode, str) else tuple(mode)
    if len(extents) == len(indices) == len(modes) and {*modes} <= {"raise", "wrap", "clip"} and order in ("C", "F"):
        ravel.keywords = {"dims": extents, "modes": modes, "order": order}
    return lower(("ravel_multi_index", str(dims), str(mode), order), ravel, indices, "ravel_multi_index")


@row(np.unravel_index, kind=OPAQUE)
def unravel_index(indices, shape, order="C"):
    """Positions in the flattened array as indices of several axes, by NumPy when evaluated."""
    x, shape = lazy(indices), values(shape)
    count = len(np.unravel_index(probe(x)[:0] if x.ndim else probe(x), shape, order))
    one, size = x._scalar or x.ndim == 0, math.prod(shape if np.iterable(shape) else (shape,))
    if (one and not vjp.is_history_kept()) or known_outside(x, 0, size):
        return at_once(np.unravel_index, x, shape, order)

    def unravel(v):
        return np.stack(np.unravel_index(v, shape, order), -1)

    if order in ("C", "F"):
        unravel.keywords = {"dims": _extents(shape), "order": order}
    # views of one array with the indices of each axis
    axes = (*(core.axes_iterated(x) or range(x.ndim)), x.ndim)
    together = call(unravel, [x], (*x.shape, count), _INTP, name="unravel_index", axes=axes)
    if one:
        return tuple([together[axis] for axis in range(count)])
    return tuple([core.view(together, x.shape, together.strides[:-1], axis * _INTP.itemsize) for axis in range(count)])
