"""Elements at indices along an axis, and of several arrays: take and its relatives."""
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr.ops.concatenation import unstack_array
from lazyarr.ops.forms import infer_form, lower
from lazyarr.ops.gathering import Gather
from lazyarr.ops.index_key import MODES, index_array
from lazyarr.ops.layout import order_of, reshape_array
from lazyarr.ops.numpy_fallback import at_once, call, deliver, has_form, note_immediate
from lazyarr.ops.operands import (
    LazyArray,
    cast,
    dummy,
    is_lazy,
    joint_shape,
    known_outside,
    lazy,
    on_accelerator,
    values,
    weak_or_lazy,
)
from lazyarr.ops.table import OPAQUE, row

_INTP = np.dtype(np.intp)


@row(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements at given indices."""
    x = lazy(a)
    index = indices if is_lazy(indices) else index_array(indices)
    if axis is None:
        x, axis = reshape_array(x, (-1,)) if x.ndim != 1 else x, 0
    # NumPy's string scalars have the length of their value
    is_text = x.ndim == 1 and index.ndim == 0 and x.dtype.kind in "SU"
    if x.ndim == 0 or index.dtype.kind not in "biu" or x.dtype.hasobject or is_text:
        return at_once(np.take, x, indices, axis, out, mode)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    extent = x.shape[axis]
    if mode not in ("raise", "wrap", "clip"):
        np.take(np.zeros(1), 0, mode=mode)  # raises, unless the mode is a number
    shape = x.shape[:axis] + index.shape + x.shape[axis + 1:]
    if out is not None and not has_form(out, shape, x.dtype):
        return at_once(np.take, x, indices, axis, out, mode)
    if extent == 0 or (mode == "raise" and known_outside(index, -extent, extent)):
        np.take(dummy(x), index.numpy(), axis, mode=mode)  # raises, or takes nothing
        return deliver(core.empty(shape, x.dtype, beside=[x]), out)
    def by_numpy(v, i):
        return np.take(v, i, axis, mode=mode)

    if shape and Gather.accept(x, index) and mode in MODES:
        before, joined = tuple(range(axis)), index.shape or (1,)
        plan = {"joined": x.shape[:axis] + joined, "walked": before + (-1,) * len(joined), "indexed": (axis,),
                "block": tuple(range(axis + 1, x.ndim)), "mode": MODES[mode]}
        return deliver(Gather("take", by_numpy, None, plan).node(x, [index], shape), out)
    if mode in MODES and Gather.accept(x, index) and on_accelerator(x):  # devices cannot gather into 0-d
        plan = {"joined": (1,), "walked": (-1,), "indexed": (0,), "block": (), "mode": MODES[mode]}
        made = Gather("take", by_numpy, None, plan).node(x, [reshape_array(index, (1,))], (1,))
        return deliver(core.scalar(reshape_array(made, ())), out)
    by_numpy.keywords = {"axis": axis, "mode": mode}
    return deliver(call(by_numpy, [x, index], shape, x.dtype, scalar=not shape, name="take"), out)


@row(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    """Elements of each line at indices of their own."""
    if not isinstance(arr, LazyArray | np.ndarray) or not isinstance(indices, LazyArray | np.ndarray) \
            or type(axis) is bool:
        return at_once(np.take_along_axis, arr, indices, axis)  # NumPy reads attributes of arrays
    x, index = lazy(arr), lazy(indices)
    if axis is None and index.ndim == 1:
        x, axis = reshape_array(x, (-1,)) if x.ndim != 1 else x, 0
    if not Gather.accept(x, index) or axis is None or x.ndim != index.ndim or not x.size or not index.size:
        return at_once(np.take_along_axis, x, index, axis)
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    lines = (*x.shape[:axis], 1, *x.shape[axis + 1:])
    shape = joint_shape(lines, index.shape)
    if shape is None or known_outside(index, -x.shape[axis], x.shape[axis]):
        return at_once(np.take_along_axis, x, index, axis)  # raises
    walked = tuple([-1 if d == axis else d for d in range(x.ndim)])
    plan = {"joined": shape, "walked": walked, "indexed": (axis,), "block": ()}
    return Gather("take_along_axis", lambda v, i: np.take_along_axis(v, i, axis), None, plan).node(x, [index], shape)


@row(np.compress, kind=OPAQUE)
def compress(condition, a, axis=None, out=None):
    """Slices where a condition holds; evaluates the condition, on which the shape depends."""
    if is_lazy(condition):
        note_immediate("compress")
    x, chosen = lazy(a), np.asarray(values(condition))
    if chosen.ndim != 1:
        np.compress(chosen, np.zeros(0))  # raises
    return take(x, np.nonzero(chosen)[0], axis, out)


@row(np.delete, kind=OPAQUE)
def delete(arr, obj, axis=None):
    """The array without the given elements, by NumPy when evaluated."""
    if is_lazy(obj):
        note_immediate("delete")
    x, obj = lazy(arr), values(obj)
    if axis is None:
        x, axis = reshape_array(x, (-1,)) if x.ndim != 1 else x, 0
    axis = normalize_axis_index(operator.index(axis), x.ndim)
    kept = np.delete(np.arange(x.shape[axis]), obj)
    return core.copy(x[(slice(None),) * axis + (kept,)], order=order_of(x))


@row(np.choose, kind=OPAQUE)
def choose(a, choices, out=None, mode="raise"):
    """Elements of the arrays that the values of another one name, by NumPy when evaluated."""
    x = lazy(a)
    given = [lazy(choices)] if isinstance(choices, LazyArray | np.ndarray) else list(map(weak_or_lazy, choices))
    arrays = [x, *[choice for choice in given if is_lazy(choice)]]
    stacked = isinstance(choices, LazyArray | np.ndarray)
    count = len(choices) if not stacked or choices.ndim else 0
    if any(array.dtype.hasobject for array in arrays) or not count or \
            (mode == "raise" and known_outside(x, 0, count)):
        return at_once(np.choose, x, choices, out, mode)

    def choice(x, *given):
        return np.choose(x, given[0] if stacked else given, mode=mode)

    choice.keywords = {"places": [k for k, one in enumerate(given) if is_lazy(one)], "stacked": stacked, "mode": mode,
                       "count": count}
    made = _chosen_there(("choose", stacked, mode), choice, x, given) if any(map(on_accelerator, arrays)) else None
    if made is None:
        made = lower(("choose", stacked, mode), choice, [x, *given], "choose")
    if out is not None and not has_form(out, made.shape, made.dtype):
        return at_once(np.choose, x, choices, out, mode)
    return deliver(made, out)


def _chosen_there(key, choice, x, given):
    """Compute np.choose on devices as a gather from all choices stacked; None if not supported or for one element."""
    _, stacked, mode = key
    form = infer_form(key, choice, [x, *given])
    arrays = unstack_array(given[0], 0) if stacked else [cast(lazy(one), form.dtype) for one in given]
    shape = joint_shape(x.shape, *[array.shape for array in arrays])
    if form.scalar or not shape or not core.Kernel.accept(x, *arrays) or form.axes is not None:
        return None
    index, count = cast(x, _INTP), len(arrays)
    if mode == "raise":  # negative indices are out of bounds
        index = core.select(core.ufunc(np.less, (index, 0)), core.asarray_operand(np.array(count)), index)
    plan = {"joined": shape, "walked": tuple(range(1, len(shape) + 1)), "indexed": (0,), "block": (),
            "mode": MODES[mode]}  # fmt: skip
    gather = Gather("choose", lambda v, i: np.choose(i, list(v), mode=mode), None, plan)
    return gather.node(np.stack([np.broadcast_to(array, shape) for array in arrays]), [index], shape)
