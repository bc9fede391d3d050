"""Layout: views with another shape or other strides, and arrays put together from parts.

A view is (shape, byte strides, offset) over the elements of its base; nothing is computed to make one. What NumPy
writes in Python on top of these primitives (flip, roll, split, stack, pad ...) is taken from there, see
`lazyarr/numpy/rebound_numpy_code.py`.
"""
import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from lazyarr._core import api as core
from lazyarr.ops.numpy_fallback import at_once, call, deliver
from lazyarr.ops.operands import (
    LazyArray,
    as_array,
    cast,
    dtype_from,
    dummy,
    lazy,
    native,
    probe,
    values,
    weak_or_lazy,
    wrap,
)
from lazyarr.ops.reduction import broadcast_layout
from lazyarr.ops.rehearsal import OwnError
from lazyarr.ops.shares_memory import base_of
from lazyarr.ops.table import row

is_contiguous = core.is_contiguous

_MOST_BYTES = 1 << 62


def contiguous_strides(shape, itemsize, order="C"):
    """Byte strides of a contiguous array."""
    strides, step = [], itemsize
    for extent in (reversed(shape) if order == "C" else shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides)) if order == "C" else tuple(strides)


def reshape_array(x, shape, order="C", copy=None):
    """x with another shape: a view where the strides allow one, else a copy."""
    fitting = core.new_shape(x, shape)
    if fitting is None:
        fitting = tuple(np.reshape(dummy(x), values(shape)).shape)
    if isinstance(copy, str):
        np.reshape(np.zeros(1), 1, copy=copy)  # raises
    if order not in ("C", "F"):
        np.reshape(np.zeros(1), 1, order=order)  # raises, or takes small letters
        order = (order or "C").upper()
        if order == "A":
            order = "F" if is_contiguous(x, "F") and not is_contiguous(x) else "C"
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
    permuted = core.permuted(x, axes if np.iterable(axes) else (axes,))
    if permuted is None:
        np.transpose(dummy(x), values(axes))  # raises
    return permuted


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
    shape, strides = x.shape, x.strides
    kept = [i for i in range(x.ndim) if i not in ones]
    return core.view(x, [shape[i] for i in kept], [strides[i] for i in kept])


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
    # NumPy looks at x through an interface, in which what warns is read-only
    seen = core.view(x, shape, strides, writeable=writeable and not x._warns_on_write)
    seen._warns_on_write = False
    seen._stands_alone = True
    return seen


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


@row(np.unstack)
def unstack(x, /, *, axis=0):
    """The slices along an axis, views."""
    x = lazy(x)
    if x.ndim == 0:
        np.unstack(dummy(x))  # raises
    return unstack_array(x, axis)


@row(np.concatenate)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Joined along an axis: each part is computed straight into its place."""
    parts = [weak_or_lazy(x) for x in (unstack_array(arrays, 0) if isinstance(arrays, LazyArray) else arrays)]
    if axis is None:
        if dtype is None and out is None and parts:  # else they are cast anyway
            parts = _without_weak(parts)
        parts, axis = [ravel_array(lazy(x)) for x in parts], 0
    else:
        parts = [lazy(x) for x in parts]
    dtype, axis, shape = _joined(parts, axis, out, dtype, casting)
    if not native(dtype):
        return deliver(call(lambda *v: np.concatenate(v, axis, dtype=dtype, casting=casting), parts, shape, dtype,
                            name="concatenate", axes=axes_by_stride(parts)), out)
    order, parts = axes_by_stride(parts), _adjacent_as_one(parts, axis)
    if len(parts) == 1 and out is None and [*(core.axes_copied(parts[0]) or range(len(shape)))] == order:
        return core.copy(parts[0], dtype)
    result = out if isinstance(out, LazyArray) else core.empty(shape, dtype, axes=order)
    before, start = (slice(None),) * axis, 0
    for x in parts:
        stop = start + x.shape[axis]
        core.assign(result[(*before, slice(start, stop))], x, beside=result is not out)
        start = stop
    return result if result is out else deliver(result, out)


def _without_weak(parts):
    """Parts, with Python's numbers cast to the dtype that is common to all."""
    if all(isinstance(x, LazyArray) for x in parts):
        return parts
    dtype = np.result_type(*[x.dtype if isinstance(x, LazyArray) else x for x in parts])
    return [x if isinstance(x, LazyArray) else cast(lazy(x), dtype) for x in parts]


def _adjacent_as_one(parts, axis):
    """The parts, with windows that follow each other in one array, such as x[:3] and x[3:], seen as one window."""
    found = parts[:1]
    for x in parts[1:]:
        last = found[-1]
        if x._root is None or x._root is not last._root or x.strides != last.strides or x.dtype != last.dtype \
                or core.offset(x) != core.offset(last) + last.shape[axis] * last.strides[axis]:
            found.append(x)
        else:
            shape = (*x.shape[:axis], last.shape[axis] + x.shape[axis], *x.shape[axis + 1:])
            found[-1] = core.view(last, shape, last.strides)
    return found


def _joined(parts, axis, out, dtype, casting):
    """dtype, axis and shape of joined arrays; raises what NumPy raises for arrays that do not fit together."""
    shapes, dtypes = [x.shape for x in parts], {x.dtype for x in parts}
    dtype = None if dtype is None else dtype_from(dtype)
    try:
        if type(axis) is bool or not (dtype is None or out is None):
            raise ValueError
        axis = normalize_axis_index(operator.index(axis), len(shapes[0]))
        if len({*shapes}) > 1 and len({(len(shape), shape[:axis], shape[axis + 1:]) for shape in shapes}) > 1:
            raise ValueError
        joined = list(shapes[0])
        joined[axis] = sum([shape[axis] for shape in shapes])
        target = parts[0].dtype
        plain = dtype is None and out is None and casting == "same_kind"
        if not plain or len(dtypes) > 1 or not target.isnative or target.names:  # fields are packed
            target = dtype if dtype is not None else out.dtype if out is not None else np.result_type(*dtypes)
            if not target.itemsize:  # strings as long as need be
                target = np.concatenate([probe(x) for x in parts], axis, dtype=target, casting=casting).dtype
            if not all(np.can_cast(source, target, casting) for source in dtypes) or \
                    (out is not None and list(out.shape) != joined):
                raise TypeError
    except (TypeError, ValueError, IndexError):
        kwargs = {} if out is None else {"out": np.empty(out.shape, out.dtype)}
        np.concatenate([dummy(x) for x in parts], axis, dtype=dtype, casting=casting, **kwargs)
        raise AssertionError("np.concatenate accepted arrays that do not fit together") from None
    return target, axis, tuple(joined)


def spread(x, times, name):
    """x with each element repeated ("repeat"), or the whole of it ("tile"), so many times along each axis."""
    shape = tuple(map(operator.mul, x.shape, times))
    function = functools.partial(core.spread, times=times, tiled=name == "tile")
    function.batch = lambda call, operands, batched, size: spread(*operands, (1, *times), name)
    try:
        return core.kernel(name, function, [x], shape, x.dtype, times=times if name == "repeat" else None)
    except ValueError as error:
        raise OwnError(f"{name}: {error}") from None  # NumPy would try to make it


def repeat_array(x, repeats, axis=None):
    """Each element repeated."""
    if isinstance(axis, tuple):
        return _repeat_axes(x, repeats, axis)
    if axis is None or x.ndim == 0:
        x, axis = ravel_array(x), 0 if axis is None else axis
    axis = normalize_axis_index(axis, x.ndim)
    counts = np.asarray(values(repeats))
    shape = x.shape
    if counts.size == 1 and counts.dtype.kind in "iu" and counts.flat[0] >= 0 and native(x.dtype):
        return spread(x, (*[1] * axis, int(counts.flat[0]), *[1] * (x.ndim - axis - 1)), "repeat")
    if counts.dtype.kind not in "biu" or counts.ndim != 1 or counts.size != shape[axis] or (counts < 0).any():
        return at_once(np.repeat, x, repeats, axis)
    if counts.sum(dtype=float) * x.itemsize > _MOST_BYTES:  # as an integer it might overflow
        raise MemoryError("repeat: repeats add up to an array that is too big")
    return call(functools.partial(np.repeat, repeats=counts, axis=axis), [x],
                (*shape[:axis], int(counts.sum()), *shape[axis + 1:]), x.dtype, name="repeat")


def _checked_count(count, extent):
    """An int that goes for all elements of an axis, or an array of one for each."""
    if type(count) is int and count >= 0:
        return count
    counts = np.asarray(values(count))
    if counts.dtype.kind not in "biu" or counts.ndim > 1 or counts.size not in (1, extent) or (counts < 0).any():
        raise OwnError(f"repeat: repeats must be a count, or one for each of {extent} elements, got {count!r}")
    return int(counts.flat[0]) if counts.size == 1 else counts


def _repeat_axes(x, repeats, axes):
    """Along several axes, in one pass if each has one count."""
    if not isinstance(repeats, tuple):
        raise TypeError("repeat: several axes need a tuple of repeats")  # in NumPy's words
    if len(repeats) != len(axes):
        raise OwnError(f"repeat: {len(axes)} axes need a tuple of as many repeats, got {repeats!r}")
    axes = [normalize_axis_index(axis, x.ndim) for axis in axes]
    if len({*axes}) < len(axes):
        raise OwnError("repeat: an axis is given twice")
    times, one_by_one = [1] * x.ndim, []
    is_native = native(x.dtype)
    for axis, count in zip(axes, repeats, strict=True):
        count = _checked_count(count, x.shape[axis])
        if is_native and type(count) is int:
            times[axis] = count
        else:
            one_by_one.append((axis, count))
    for axis, count in one_by_one:
        try:
            x = repeat_array(x, count, axis)
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
    return repeat_array(lazy(a), repeats, axis)


@row(np.tile)
def tile(A, reps):
    """Copies of an array side by side."""
    x = lazy(A)
    try:
        times = tuple(values(reps))
    except TypeError:
        times = reps,
    if not native(x.dtype) or not all(isinstance(n, int | np.integer) and n >= 0 for n in times):
        return at_once(np.tile, A, reps)
    times = (*[1] * (x.ndim - len(times)), *map(int, times))
    if x.ndim < len(times):
        x = reshape_array(x, (1,) * (len(times) - x.ndim) + x.shape)
    if times.count(1) == len(times):
        return core.copy(x, order="K")
    made = spread(x, times, "tile")
    return core.view(made, made.shape, made.strides)  # NumPy's is a view of what it has repeated


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
