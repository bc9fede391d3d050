"""Layout: views with another shape or other strides, and arrays put together from parts.

A view is (shape, byte strides, offset) over the elements of its base; nothing is computed to make one. What NumPy
writes in Python on top of these primitives (flip, roll, split, stack, pad ...) is taken from there, see
`lazyarr/numpy/composed.py`.
"""
import math
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from lazyarr._core import api as core
from lazyarr.ops.opaque import at_once, call, deliver
from lazyarr.ops.operands import LazyArray, as_array, dtype_from, dummy, lazy, native, probe, values, wrap
from lazyarr.ops.reduction import broadcast_layout
from lazyarr.ops.registry import row


def contiguous_strides(shape, itemsize, order="C"):
    """Byte strides of a contiguous array."""
    strides, step = [], itemsize
    for extent in (reversed(shape) if order == "C" else shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides)) if order == "C" else tuple(strides)


def is_contiguous(x, order="C"):
    """Whether the elements lie densely in this order; axes of length 1 do not count."""
    if x.size == 0:
        return True
    dense = contiguous_strides(x.shape, x.itemsize, order)
    return all(extent == 1 or s == d for extent, s, d in zip(x.shape, x.strides, dense, strict=True))


def view_strides(shape, strides, new_shape, itemsize, order):
    """Strides with which new_shape shows the same elements in the same order, or None if only a copy can.

    The algorithm of NumPy's `_attempt_nocopy_reshape`: match groups of old axes with groups of new axes of the same
    number of elements; each group of old axes must be dense in itself.
    """
    old = [(extent, stride) for extent, stride in zip(shape, strides, strict=True) if extent != 1]
    if order == "F":  # Fortran order of some axes is C order of the axes reversed
        found = view_strides(shape[::-1], strides[::-1], new_shape[::-1], itemsize, "C")
        return None if found is None else found[::-1]
    new_strides = []
    o = n = 0
    step = itemsize
    while n < len(new_shape) and o < len(old):
        o_end, n_end = o + 1, n + 1
        o_count, n_count = old[o][0], new_shape[n]
        while o_count != n_count:
            if n_count < o_count:
                n_count *= new_shape[n_end]
                n_end += 1
            else:
                o_count *= old[o_end][0]
                o_end += 1
        if any(old[k][1] != old[k + 1][0] * old[k + 1][1] for k in range(o, o_end - 1)):
            return None
        step = old[o_end - 1][1]
        new_strides += contiguous_strides(new_shape[n:n_end], step)
        o, n = o_end, n_end
    return tuple(new_strides) + (step,) * (len(new_shape) - n)


def _new_shape(x, shape):
    """The shape given to reshape as a tuple, with -1 filled in; raises what NumPy raises."""
    try:
        new = (operator.index(shape),) if not isinstance(shape, tuple | list) else tuple(map(operator.index, shape))
    except TypeError:
        new = tuple(np.reshape(dummy(x), values(shape)).shape)
    known = math.prod([extent for extent in new if extent != -1])
    if -1 in new and known > 0 and x.size % known == 0:
        filled = tuple([x.size // known if extent == -1 else extent for extent in new])
        if new.count(-1) == 1:
            return filled
    elif known == x.size and all(extent >= 0 for extent in new):
        return new
    return tuple(np.reshape(dummy(x), new).shape)


def reshape_array(x, shape, order="C", copy=None):
    """x with another shape: a view where the strides allow one, else a copy."""
    shape = _new_shape(x, shape)
    if isinstance(copy, str):
        np.reshape(np.zeros(1), 1, copy=copy)  # raises
    if order not in ("C", "F"):
        if order != "A":
            np.reshape(np.zeros(1), 1, order=order)
        order = "F" if is_contiguous(x, "F") and not is_contiguous(x) else "C"
    if x._scalar and not shape:
        return x
    if not copy:
        strides = contiguous_strides(shape, x.itemsize, order) if is_contiguous(x, order) \
            else view_strides(x.shape, x.strides, shape, x.itemsize, order)
        if strides is not None:
            return core.view(x, shape, strides)
        if copy is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
    dense = core.copy(x, order=order)
    return core.view(dense, shape, contiguous_strides(shape, x.itemsize, order))


@row(np.reshape)
def reshape(a, /, shape, order="C", *, copy=None):
    """Another shape, a view where NumPy gives one."""
    return reshape_array(as_array(a), shape, order, copy)


def _memory_order(x):
    """x with its axes in the order in which NumPy walks them."""
    axes = core.axes_iterated(x)
    return x if axes is None else transpose_array(x, axes)


def ravel_array(x, order="C"):
    """One axis, dense: a view of what lies densely in this order, else a copy."""
    return _flat(x, order, copy=None)


@row(np.ravel)
def ravel(a, order="C"):
    """One axis, a view where NumPy gives one."""
    return ravel_array(lazy(a), order)


def flatten_array(x, order="C"):
    """One axis, always a copy."""
    return _flat(x, order, copy=True)


def _flat(x, order, copy):
    order = order.upper() if isinstance(order, str) else order
    if order == "K":
        x, order = (x if is_contiguous(x) else _memory_order(x)), "C"
    elif order == "A":
        order = "F" if is_contiguous(x, "F") and not is_contiguous(x) else "C"
    if order not in ("C", "F") or (not copy and is_contiguous(x, order)):
        return reshape_array(x, (x.size,), order, copy)
    if x.ndim == 1:
        return core.copy(x, order="C")
    flat = core.empty((x.size,), x.dtype)
    core.assign(core.view(flat, x.shape, contiguous_strides(x.shape, x.itemsize, order)), x)
    return flat


def transpose_array(x, axes=None):
    """x with its axes permuted, as a view."""
    if axes is None:
        return x.T
    if x.ndim == 0:
        np.transpose(dummy(x), values(axes))
    try:
        order = normalize_axis_tuple(axes, x.ndim)
    except (TypeError, ValueError):
        order = ()
    if len(order) != x.ndim:
        np.transpose(dummy(x), values(axes))
    return core.view(x, tuple([x.shape[i] for i in order]), tuple([x.strides[i] for i in order]))


@row(np.transpose, np.permute_dims)
def transpose(a, axes=None):
    """Axes permuted, a view."""
    return transpose_array(as_array(a), axes)


@row(np.matrix_transpose)
def matrix_transpose(x, /):
    """The last two axes exchanged, a view."""
    x = lazy(x)
    if x.ndim < 2:
        np.matrix_transpose(dummy(x))
    return swapaxes_array(x, -1, -2)


def swapaxes_array(x, axis1, axis2):
    """Two axes exchanged, as a view."""
    axes = list(range(x.ndim))
    try:
        i, j = operator.index(axis1), operator.index(axis2)
        axes[i], axes[j] = axes[j], axes[i]
    except (TypeError, IndexError):
        np.swapaxes(dummy(x), axis1, axis2)
    return transpose_array(x, axes)


@row(np.swapaxes)
def swapaxes(a, axis1, axis2):
    """Two axes exchanged, a view."""
    return swapaxes_array(lazy(a), axis1, axis2)


def squeeze_array(x, axis=None):
    """x without its axes of length 1, as a view."""
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
    kept = [i for i in range(x.ndim) if i not in ones]
    return core.view(x, tuple([x.shape[i] for i in kept]), tuple([x.strides[i] for i in kept]))


@row(np.squeeze)
def squeeze(a, axis=None):
    """Axes of length 1 left out, a view."""
    return squeeze_array(as_array(a), axis)


def diagonal_array(x, offset=0, axis1=0, axis2=1, writeable=False):
    """The diagonal over two axes, as a view that is read-only, as in NumPy."""
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
                     (*[x.strides[k] for k in kept], x.strides[i] + x.strides[j]), start, writeable=writeable)


@row(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """A diagonal, a read-only view."""
    return diagonal_array(lazy(a), offset, axis1, axis2)


@row(np.linalg.diagonal)
def linalg_diagonal(x, /, *, offset=0):
    """The diagonals of a stack of matrices, a read-only view."""
    return diagonal_array(lazy(x), offset, -2, -1)


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
    return tuple([x if x.shape == shape else core.view(x, *broadcast_layout(x, shape), writeable=core.WARNS_ON_WRITE)
                  for x in arrays])


@row(np.lib.stride_tricks.as_strided)
def as_strided(x, shape=None, strides=None, subok=False, writeable=True):
    """Any shape and strides, a view."""
    x = lazy(x)
    shape = x.shape if shape is None else tuple(map(operator.index, shape))
    strides = x.strides if strides is None else tuple(map(operator.index, strides))
    return core.view(x, shape, strides, writeable=writeable)


def view_dtype(x, dtype):
    """The same bytes as another dtype, as a view; the last axis grows or shrinks with the item size."""
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
        shape = np.empty(shape, x.dtype).view(dtype).shape  # allocates, touches nothing
        strides = (*strides[:-1], new)
    return core.view(x, shape, strides, 0, dtype)


def axes_by_stride(arrays):
    """The axes from the largest stride to the smallest, which is how NumPy lays out what it makes of these arrays.

    NumPy's `PyArray_CreateMultiSortedStridePerm`: a stable insertion sort, in which axes of length 1 do not count and C
    order wins where arrays disagree.
    """
    order = list(range(arrays[0].ndim))
    for i in range(1, len(order)):
        axis, place = order[i], i
        for j in range(i - 1, -1, -1):
            other = order[j]
            compared = [abs(x.strides[axis]) > abs(x.strides[other]) for x in arrays
                        if x.shape[axis] != 1 and x.shape[other] != 1]
            if compared and not all(compared):
                break
            if compared:
                place = j
        order.insert(place, order.pop(i))
    return order


def unstack_array(x, axis):
    """The slices of x along an axis, views."""
    if x.ndim == 0:
        iter(dummy(x))  # raises
    axis = normalize_axis_index(axis, x.ndim, "source")
    return tuple([x[(slice(None),) * axis + (i,)] for i in range(x.shape[axis])])


def _unstack(x, /, *, axis=0):
    """The slices along an axis, views."""
    x = lazy(x)
    if x.ndim == 0:
        np.unstack(dummy(x))  # raises
    return unstack_array(x, axis)


if hasattr(np, "unstack"):  # new in NumPy 2.1
    row(np.unstack)(_unstack)


@row(np.concatenate)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Joined along an axis: each part is computed straight into its place."""
    parts = [lazy(x) for x in (unstack_array(arrays, 0) if isinstance(arrays, LazyArray) else arrays)]
    if axis is None:
        parts, axis = [ravel_array(x) for x in parts], 0
    dtype = _joined_dtype(parts, axis, out, dtype, casting)
    if type(axis) is bool:
        np.concatenate([np.zeros(1)], axis)  # raises
    axis = operator.index(axis) % parts[0].ndim
    shape = list(parts[0].shape)
    shape[axis] = sum(x.shape[axis] for x in parts)
    shape = tuple(shape)
    if not native(dtype):
        return deliver(call(lambda *v: np.concatenate(v, axis, dtype=dtype, casting=casting), parts, shape, dtype,
                            name="concatenate"), out)
    result = out if isinstance(out, LazyArray) else core.empty(shape, dtype, axes=axes_by_stride(parts))
    start = 0
    for x in parts:
        stop = start + x.shape[axis]
        core.assign(result[(slice(None),) * axis + (slice(start, stop),)], x)
        start = stop
    return result if result is out else deliver(result, out)


def _joined_dtype(parts, axis, out, dtype, casting):
    """The dtype of joined arrays; raises what NumPy raises for arrays that do not fit together."""
    fits = len(parts) > 0 and (dtype is None or out is None)
    if fits:
        ndim, first = parts[0].ndim, parts[0].shape
        fits = ndim > 0 and -ndim <= axis < ndim
    if fits:
        skipped = operator.index(axis) % ndim
        fits = all(x.ndim == ndim and x.shape[:skipped] == first[:skipped] and x.shape[skipped + 1:] ==
                   first[skipped + 1:] for x in parts)
    if fits:
        target = dtype_from(dtype) if dtype is not None else \
            out.dtype if out is not None else np.result_type(*[x.dtype for x in parts])
        if not target.itemsize:  # strings as long as need be
            target = np.concatenate([probe(x) for x in parts], axis, dtype=target, casting=casting).dtype
        fits = all(np.can_cast(x.dtype, target, casting) for x in parts)
        if out is not None and fits:
            joined = list(first)
            joined[skipped] = sum(x.shape[skipped] for x in parts)
            fits = tuple(out.shape) == tuple(joined)
    if not fits:
        kwargs = {} if out is None else {"out": np.empty(out.shape, out.dtype)}
        np.concatenate([dummy(x) for x in parts], axis, dtype=dtype, casting=casting, **kwargs)
        raise AssertionError("np.concatenate accepted arrays that do not fit together")
    return target


def repeat_array(x, repeats, axis=None):
    """Each element repeated."""
    if axis is None:
        x, axis = ravel_array(x), 0
    axis = normalize_axis_index(axis, x.ndim)
    counts = np.asarray(values(repeats))
    shape = x.shape
    if counts.size == 1 and counts.dtype.kind in "iu" and counts.flat[0] >= 0 and native(x.dtype):
        count = int(counts.flat[0])
        spread = core.view(x, (*shape[:axis + 1], 1, *shape[axis + 1:]),
                           (*x.strides[:axis + 1], 0, *x.strides[axis + 1:]))
        result = core.empty((*shape[:axis], shape[axis] * count, *shape[axis + 1:]), x.dtype)
        core.assign(reshape_array(result, (*shape[:axis + 1], count, *shape[axis + 1:])), spread)
        return result
    if counts.dtype.kind not in "biu" or counts.ndim != 1 or counts.size != shape[axis] or (counts < 0).any():
        return at_once(np.repeat, x, repeats, axis)
    return call(lambda v: np.repeat(v, counts, axis), [x],
                (*shape[:axis], int(counts.sum()), *shape[axis + 1:]), x.dtype, name="repeat")


@row(np.repeat)
def repeat(a, repeats, axis=None):
    """Each element repeated: a broadcast copy, or NumPy's function where the counts differ."""
    return repeat_array(lazy(a), repeats, axis)


@row(np.isfortran)
def isfortran(a):
    """Whether the strides are Fortran's and not C's."""
    if not isinstance(a, LazyArray):
        return np.isfortran(a)
    return is_contiguous(a, "F") and not is_contiguous(a)


@row(np.isscalar)
def isscalar(element):
    """Whether NumPy would have a scalar here."""
    return element._scalar if isinstance(element, LazyArray) else np.isscalar(element)
