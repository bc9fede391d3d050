"""Layout: views with another shape or other strides.

A view is (shape, byte strides, offset) over the elements of its base; making one computes nothing. NumPy's Python
functions on top of these (flip, roll, split, stack, pad ...) are reused, see `lazyarr/numpy/rebound_numpy_code.py`.
"""
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray, as_array, dtype_from, dummy, lazy, values, wrap
from lazyarr.ops.reduction import broadcast_layout
from lazyarr.ops.shares_memory import base_of
from lazyarr.ops.table import row

is_contiguous = core.is_contiguous


def order_of(x):
    """Return "F" for an array in Fortran order but not C order, else "C"."""
    return "F" if is_contiguous(x, "F") and not is_contiguous(x) else "C"


def contiguous_strides(shape, itemsize, order="C"):
    """Return the byte strides of a contiguous array."""
    strides, step = [], itemsize
    for extent in (reversed(shape) if order == "C" else shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides)) if order == "C" else tuple(strides)


def reshape_array(x, shape, order="C", copy=None):
    """Return x reshaped: a view if the strides permit one, else a copy."""
    fitting = core.new_shape(x, shape)
    if fitting is None:
        fitting = tuple(np.reshape(dummy(x), values(shape)).shape)
    if isinstance(copy, str):
        np.reshape(np.zeros(1), 1, copy=copy)  # raises
    if order not in ("C", "F"):
        np.reshape(np.zeros(1), 1, order=order)  # raises, or accepts lower case
        order = (order or "C").upper()
        if order == "A":
            order = order_of(x)
    if x._scalar and not shape:
        return x
    if x._scalar:
        x = core.copy(x)
    if not copy:
        seen = core.reshaped(x, fitting, order)
        if seen is not None:
            return seen
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
    return core.reshaped(core.copy(x, order=order), fitting, order)


@row(np.reshape)
def reshape(a, /, shape, order="C", *, copy=None):
    """Another shape, a view where NumPy gives one."""
    return reshape_array(as_array(a), shape, order, copy)


def _memory_order(x):
    """Return x with its axes in the order of NumPy's iterator."""
    axes = core.axes_iterated(x)
    return x if axes is None else transpose(x, axes)


@row(np.ravel)
def ravel(a, order="C"):
    """One axis, a view where NumPy gives one."""
    return _flat(lazy(a), order, copy=None)


def flatten_array(x, order="C"):
    """Copy to one axis."""
    return _flat(x, order, copy=True)


def _flat(x, order, copy):
    order = order.upper() if isinstance(order, str) else order
    if order == "K":
        x, order = (x if is_contiguous(x) else _memory_order(x)), "C"
    elif order == "A":
        order = order_of(x)
    if order not in ("C", "F") or (not copy and is_contiguous(x, order)):
        return reshape_array(x, (x.size,), order, copy)
    if x.ndim == 1:
        return core.copy(x, order="C")
    flat = core.empty((x.size,), x.dtype, beside=[x])
    core.assign(core.view(flat, x.shape, contiguous_strides(x.shape, x.itemsize, order)), x)
    return flat


@row(np.transpose, np.permute_dims)
def transpose(a, axes=None):
    """Axes permuted, a view."""
    x = as_array(a)
    if axes is None:
        return x.T
    permuted = core.permuted(x, axes if np.iterable(axes) else (axes,))
    if permuted is None:
        np.transpose(dummy(x), values(axes))  # raises
    return permuted


@row(np.matrix_transpose)
def matrix_transpose(x, /):
    """The last two axes exchanged, a view."""
    x = lazy(x)
    if x.ndim < 2:
        np.matrix_transpose(dummy(x))
    return swapaxes(x, -1, -2)


@row(np.swapaxes)
def swapaxes(a, axis1, axis2):
    """Two axes exchanged, a view."""
    x = lazy(a)
    axes = list(range(x.ndim))
    try:
        i, j = operator.index(axis1), operator.index(axis2)
        axes[i], axes[j] = axes[j], axes[i]
    except (TypeError, IndexError):
        np.swapaxes(dummy(x), axis1, axis2)
    return transpose(x, axes)


@row(np.squeeze)
def squeeze(a, axis=None):
    """Axes of length 1 left out, a view."""
    x = as_array(a)
    ones = {i for i, extent in enumerate(x.shape) if extent == 1}
    if axis is not None:
        try:
            given = set(normalize_axis_tuple(axis, x.ndim))
        except (TypeError, ValueError):
            given = None
        if given is None or not given <= ones:
            np.squeeze(dummy(x), axis)
            return x
        ones = given
    if x._scalar or not ones:
        return x
    shape, strides = x.shape, x.strides
    kept = [i for i in range(x.ndim) if i not in ones]
    return core.view(x, [shape[i] for i in kept], [strides[i] for i in kept])


@row(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A diagonal, a read-only view."""
    x = lazy(a)
    try:
        i, j = normalize_axis_index(axis1, x.ndim), normalize_axis_index(axis2, x.ndim)
    except (TypeError, ValueError):
        i = j = 0
    if i == j:
        np.diagonal(dummy(x), offset, axis1, axis2)
    offset = operator.index(offset)
    below, right = max(-offset, 0), max(offset, 0)
    extent = max(min(x.shape[i] - below, x.shape[j] - right), 0)
    start = (below * x.strides[i] + right * x.strides[j]) if extent else 0
    kept = [k for k in range(x.ndim) if k not in (i, j)]
    return core.view(x, (*[x.shape[k] for k in kept], extent),
                     (*[x.strides[k] for k in kept], x.strides[i] + x.strides[j]), start, writeable=False)


@row(np.broadcast_to)
def broadcast_to(array, shape, subok=False):
    """Broadcast to a shape, a read-only view."""
    x = lazy(array)
    try:
        shape = tuple(map(operator.index, shape))
    except TypeError:
        shape = np.broadcast_to(dummy(x), values(shape)).shape
    return core.view(x, *broadcast_layout(x, shape), writeable=False)


@row(np.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    """Broadcast against each other, views; NumPy warns before one is written to."""
    arrays = tuple([core.unscalar(lazy(x)) for x in args])
    shape = core.broadcast_shape(*[x.shape for x in arrays])
    return tuple([x if x.shape == shape else _broadcast_writeable(x, shape) for x in arrays])


def _broadcast_writeable(x, shape):
    seen = core.view(x, *broadcast_layout(x, shape))
    if x._writeable:
        if not (seen._root._writeable or x._stands_alone):  # NumPy makes the view writeable, which is refused
            raise ValueError("cannot set WRITEABLE flag to True of this array")
        seen._warns_on_write = True
    return seen


@row(np.lib.stride_tricks.as_strided)
def as_strided(x, shape=None, strides=None, subok=False, writeable=True, **kwargs):
    """Any shape and strides, a view."""
    x = lazy(x)
    if kwargs:  # check_bounds, from NumPy 2.5 on
        seen = np.ndarray(x.shape, x.dtype, core.lent(base_of(x)), core.offset(x), x.strides)
        np.lib.stride_tricks.as_strided(seen, shape, strides, **kwargs)  # raises
    shape = x.shape if shape is None else tuple(map(operator.index, shape))
    strides = x.strides if strides is None else tuple(map(operator.index, strides))
    if base_of(x)._is_cut:
        _check_inside(x, shape, strides)
    # NumPy reads x through an interface, where warning arrays are read-only
    seen = core.view(x, shape, strides, writeable=writeable and not x._warns_on_write)
    seen._warns_on_write = False
    seen._stands_alone = True
    return seen


def _reach(shape, strides):
    """Return the lowest and highest offset of elements, relative to element 0."""
    steps = [step * (extent - 1) for step, extent in zip(strides, shape, strict=True)]
    return sum(step for step in steps if step < 0), sum(step for step in steps if step > 0)


def _check_inside(x, shape, strides):
    """Raise ValueError for a window that exceeds the memory of an array's base."""
    if 0 in shape:
        return
    base = base_of(x)
    low, high = _reach(shape, strides)
    first, last = _reach(base.shape, base.strides)
    if core.offset(x) + low < core.offset(base) + first or core.offset(x) + high > core.offset(base) + last:
        raise ValueError("as_strided: the array was evaluated as a slice alone, and these elements are outside of it")


def view_dtype(x, dtype):
    """Return the same bytes as another dtype, as a view; the last axis changes with the itemsize."""
    dtype = dtype_from(dtype)
    if dtype == x.dtype:
        return core.view(x, x.shape, x.strides)
    if dtype.hasobject or x.dtype.hasobject or not dtype.itemsize or dtype.subdtype is not None:
        return wrap(np.array(x.numpy()).view(dtype))
    old, new = x.itemsize, dtype.itemsize
    shape, strides = x.shape, x.strides
    if old != new:
        if x.size and x.ndim and strides[-1] != old and shape[-1] > 1:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        shape = np.empty(shape, x.dtype).view(dtype).shape  # allocates, but touches nothing
        strides = (*strides[:-1], new)
    return core.view(x, shape, strides, 0, dtype)


@row(np.isscalar)
def isscalar(element):
    """Whether NumPy would return a scalar."""
    return element._scalar if isinstance(element, LazyArray) else np.isscalar(element)
