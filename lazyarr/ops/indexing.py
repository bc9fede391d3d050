"""Reading through keys with arrays in them: integer arrays and boolean masks.

The core handles integers, slices, `...` and None; for other keys it calls `getitem` here. Integer arrays are read
lazily: the shape follows from the key. With a boolean mask the shape depends on its values, so reading evaluates.
"""
import functools
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.gathering import Gather
from lazyarr.ops.index_key import (
    Key,
    arrays_come_first,
    constant_for,
    key_on_batch,
    spread_mask,
    template_of,
    without_masks,
)
from lazyarr.ops.layout import contiguous_strides, reshape_array
from lazyarr.ops.numpy_fallback import call, note_immediate, remembering
from lazyarr.ops.operands import LazyArray, native, on_accelerator, values, wrap
from lazyarr.ops.true_places import elements_at

_BOOL = np.dtype(bool)


def getitem(x, key):
    """Return x[key] for keys with arrays in them."""
    for item in key if type(key) is tuple else (key,):
        if isinstance(item, Deferred):
            return item.computed("operator getitem", operator.getitem, x, key)
    if isinstance(key, str | list) and x.dtype.names is not None and all(isinstance(name, str) for name in key):
        return _fields(x, key)
    if _is_mask_of(key, x):
        return core.selection(x, core.asarray_operand(key))
    parsed = Key(x, key)
    if not parsed.fits:
        parsed.reject(x, operator.getitem)
    on_device = parsed.masks and on_accelerator(x) and core.Kernel.accept(x)
    if on_device and parsed.is_mask_of(x) and parsed.all_have_axes and not vjp.is_history_kept():
        return elements_under(x, parsed.arrays[0])
    if parsed.masks and parsed.all_have_axes and (on_device or vjp.is_history_kept()):
        if parsed.is_mask_of(x) and core.is_pending(x) and x.dtype.kind in "fc":  # no derivative passes the mask
            x = core.select(spread_mask(parsed.arrays[0], x), x, constant_for(0, x.dtype))
        return x[without_masks(parsed.items)]
    if parsed.masks or not parsed.arrays or x.dtype.hasobject:
        return _read_at_once(x, parsed)
    shape = parsed.shape(x.shape)
    fill = parsed.template()
    gathered = _gather_there(x, parsed, shape) if on_accelerator(x) else _gather_key(x, parsed, shape)
    if gathered is not None:
        return gathered

    def read(v, *arrays):
        return v[fill(arrays)]

    read.keywords = {"fill": fill}
    read.batch = functools.partial(_read_on_batch, fill)
    return call(read, [x, *parsed.arrays], shape, x.dtype, scalar=not shape and not parsed.ellipsis, name="getitem",
                axes=parsed.memory_axes(x))


def _read_on_batch(fill, call, operands, batched, size):
    """Return x[key] on a batch, if that can be one key."""
    x, *arrays = operands
    return x[key_on_batch(fill, arrays, batched[1:], size, batched[0])] if arrays_come_first(fill, arrays) else None


def _gather_there(x, parsed, shape):
    """`_gather_key` for devices: the same elements by a key of only index arrays and slices, which kernels support."""
    if not Gather.accept(x, *parsed.arrays):
        return None
    longer = x[tuple([None if item is None else slice(None) for item in parsed.items])]
    items = [slice(None) if item is None else core.asarray_operand(np.array(item)) if isinstance(item, int) else item
             for item in parsed.items]
    if not shape:
        array = next(k for k, item in enumerate(items) if isinstance(item, LazyArray))
        items[array] = reshape_array(items[array], (1,))
        made = reshape_array(_gather_key(longer, Key(longer, tuple(items)), (1,)), ())
        return made if parsed.ellipsis else core.scalar(made)
    key = Key(longer, tuple(items))
    axes = key.memory_axes(longer)
    if axes is None or any(isinstance(item, slice) for item in items):
        return _gather_key(longer, key, shape)
    turned = [np.broadcast_to(item, shape).transpose(axes) for item in items]   # so that they are in C order
    made = _gather_key(longer, Key(longer, tuple(turned)), tuple([shape[axis] for axis in axes]))
    return core.copy(made.transpose(np.argsort(axes)), order="K")


def _gather_key(x, parsed, shape):
    """Return x[key] with index arrays and slices as a native node; None for other keys, and for one element."""
    if not shape or not Gather.accept(x, *parsed.arrays) \
            or any(item is None or isinstance(item, int) for item in parsed.items):
        return None
    indexed = tuple([i for i, item in enumerate(parsed.items) if isinstance(item, LazyArray)])
    sliced = x[tuple([slice(None) if i in indexed else item for i, item in enumerate(parsed.items)])]
    joined = parsed.joined or (1,)
    axes = parsed.memory_axes(x)
    if axes is not None and len(indexed) == x.ndim:
        return None  # the kernel writes joined axes in C order
    block = [axis for axis in range(x.ndim) if axis not in indexed]
    if axes is not None:  # the order of the result's other axes
        ahead, njoined = parsed.before, len(shape) - len(block)
        block = [block[axis if axis < ahead else axis - njoined]
                 for axis in axes if not ahead <= axis < ahead + njoined]
    fill = template_of([slice(None) if isinstance(item, slice) else item for item in parsed.items])

    def by_numpy(v, *arrays):
        return v[fill(arrays)]

    plan = {"joined": joined, "walked": (-1,) * len(joined), "indexed": indexed, "block": tuple(block)}
    return Gather("getitem", by_numpy, axes, plan).node(sliced, parsed.arrays, shape)


def _is_mask_of(key, x):
    """Return whether x[key] is a selection: a mask of x's shape, native dtype."""
    return isinstance(key, LazyArray | np.ndarray) and key.dtype == _BOOL and key.ndim > 0 and key.shape == x.shape \
        and native(x.dtype)


def elements_under(array, mask):
    """Return the elements under a mask: a resolved selection; only LazyArrays on a device."""
    note_immediate("boolean_index")
    return elements_at(array, mask) if isinstance(array, LazyArray) else core.elements_under(array, mask)


def _read_at_once(x, parsed):
    if parsed.arrays and parsed.arrays[0].ndim and parsed.is_mask_of(x):
        return wrap(elements_under(*values([x, *parsed.arrays])))
    note_immediate("boolean_index" if parsed.masks else "getitem")
    array, *arrays = values([x, *parsed.arrays])
    result = array[parsed.template()(arrays)]
    result = wrap(result) if isinstance(result, np.ndarray) else core.scalar(core.from_numpy(np.array(result)))
    return remembering(result, [x, *parsed.arrays], "getitem")


def _fields(x, key):
    if isinstance(key, list):  # a record of these fields, in place
        return core.view(x, x.shape, x.strides, 0, np.empty(0, x.dtype)[key].dtype)
    if key not in x.dtype.fields:
        np.empty(0, x.dtype)[key]  # raises
    dtype, offset = x.dtype.fields[key][:2]
    element, inner = dtype.subdtype or (dtype, ())
    return core.view(x, x.shape + inner, x.strides + contiguous_strides(inner, element.itemsize), offset, element)
