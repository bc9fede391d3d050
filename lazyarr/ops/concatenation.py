"""Concatenation: arrays joined along an axis, each part computed in place; and unstacking."""
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr.ops.layout import ravel
from lazyarr.ops.numpy_fallback import call, deliver
from lazyarr.ops.operands import LazyArray, cast, dtype_from, dummy, lazy, native, probe, weak_or_lazy
from lazyarr.ops.table import row


def axes_by_stride(arrays):
    """Return the axes by decreasing stride, which is how NumPy lays out results of these arrays.

    NumPy's `PyArray_CreateMultiSortedStridePerm`: a stable insertion sort that ignores axes of length 1 and keeps C
    order where arrays disagree.
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
    """Return views of the slices of x along an axis."""
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
    """Joined along an axis: each part is computed directly into the result."""
    parts = [weak_or_lazy(x) for x in (unstack_array(arrays, 0) if isinstance(arrays, LazyArray) else arrays)]
    if axis is None:
        if dtype is None and out is None and parts:  # otherwise they are cast anyway
            parts = _without_weak(parts)
        parts, axis = [ravel(x) for x in parts], 0
    else:
        parts = [lazy(x) for x in parts]
    dtype, axis, shape = _joined(parts, axis, out, dtype, casting)
    if not native(dtype):
        return deliver(call(lambda *v: np.concatenate(v, axis, dtype=dtype, casting=casting), parts, shape, dtype,
                            name="concatenate", axes=axes_by_stride(parts)), out)
    order, parts = axes_by_stride(parts), _adjacent_as_one(parts, axis)
    if len(parts) == 1 and out is None and [*(core.axes_copied(parts[0]) or range(len(shape)))] == order:
        return core.copy(parts[0], dtype)
    result = out if isinstance(out, LazyArray) else core.empty(shape, dtype, axes=order, beside=parts)
    before, start = (slice(None),) * axis, 0
    for x in parts:
        stop = start + x.shape[axis]
        core.assign(result[(*before, slice(start, stop))], x, beside=result is not out)
        start = stop
    return result if result is out else deliver(result, out)


def _without_weak(parts):
    """Return parts with Python numbers cast to the common dtype."""
    if all(isinstance(x, LazyArray) for x in parts):
        return parts
    dtype = np.result_type(*[x.dtype if isinstance(x, LazyArray) else x for x in parts])
    return [x if isinstance(x, LazyArray) else cast(lazy(x), dtype) for x in parts]


def _adjacent_as_one(parts, axis):
    """Merge adjacent windows of one array, such as x[:3] and x[3:]."""
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
    """Return dtype, axis and shape of joined arrays; raise NumPy's error if they do not fit together."""
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
            if not target.itemsize:  # strings as long as needed
                target = np.concatenate([probe(x) for x in parts], axis, dtype=target, casting=casting).dtype
            if not all(np.can_cast(source, target, casting) for source in dtypes) or \
                    (out is not None and list(out.shape) != joined):
                raise TypeError
    except (TypeError, ValueError, IndexError):
        kwargs = {} if out is None else {"out": np.empty(out.shape, out.dtype)}
        np.concatenate([dummy(x) for x in parts], axis, dtype=dtype, casting=casting, **kwargs)
        raise AssertionError("np.concatenate accepted arrays that do not fit together") from None
    return target, axis, tuple(joined)
