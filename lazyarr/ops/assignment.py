"""Writes through keys with arrays in them, and all other in-place changes.

Values that broadcast are written lazily, also through a boolean mask.
"""
import functools
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.index_key import Key, arrays_come_first, constant_for, key_on_batch, spread_mask, without_masks
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.numpy_fallback import note_immediate
from lazyarr.ops.operands import (
    LazyArray,
    cast,
    dummy,
    elements,
    find_lazy,
    gathered,
    joint_shape,
    laid_out_like,
    native,
    on_accelerator,
    values,
    values_for,
)
from lazyarr.ops.scattering import through_key
from lazyarr.ops.shares_memory import base_of
from lazyarr.ops.true_places import lines_at, ranks_of
from lazyarr.ops.vmap_helpers import in_front

_BOOL = np.dtype(bool)


def _written_on_batch(fill, call, operands, batched, size):
    """Return a function that writes through a key on a batch, if that can be one key."""
    arrays = operands[2:]
    if not arrays or not arrays_come_first(fill, arrays):
        return None
    ndim = max([array.ndim - is_batched for array, is_batched in zip(arrays, batched[2:], strict=True)])
    joined = len(arrays) + sum(isinstance(item, int) for item in fill(arrays))

    def write(array, value, *arrays):
        places = ndim + array.ndim - 1 - joined
        while value.ndim - batched[1] > places:  # leading axes of length 1
            value = value[:, 0] if batched[1] else value[0]
        array[key_on_batch(fill, arrays, batched[2:], size, True)] = in_front(value, batched[1], places)

    return write


def _is_element(x, key):
    """Return whether a key selects a single element of x, which may hold an array."""
    try:
        return not isinstance(dummy(x)[key], np.ndarray)
    except IndexError:
        return False


def setitem(x, key, value):
    """Assign x[key] = value for keys with arrays in them, and for all keys if x's dtype is not native."""
    if not native(x.dtype) or not native(base_of(x).dtype) or not x.flags.aligned:
        note_immediate("setitem")
        operands = find_lazy((key, value))
        key = values(key)
        gives_elements = isinstance(value, LazyArray) and not _is_element(x, key)
        value = values(value) if gives_elements else values_for(x.dtype, value)
        _lent = [core.lent(item) for item in find_lazy(value)]  # evaluated, and in place while x changes
        core.mutate(x, lambda array: operator.setitem(array, key, value), "setitem", operands)
        return
    hidden = core.overlaps_itself(x)
    if isinstance(value, LazyArray) and core.is_selection(value) and isinstance(key, LazyArray) and not hidden \
            and core.put_selection(x, key, value):
        return
    pending = core.is_pending(x) or on_accelerator(x) or (isinstance(value, LazyArray) and core.is_pending(value))
    parsed = Key(x, key, at_once=not pending)
    if not parsed.fits:
        parsed.reject(x, lambda a, key: operator.setitem(np.zeros(a.shape, a.dtype), key, values(value)))
    if not isinstance(value, LazyArray):
        if isinstance(value, np.ndarray):
            value = np.asarray(value)  # of any class
        array = gathered(value) if find_lazy([value]) else core.asarray_of_others(value)
        # NumPy converts non-arrays beforehand, arrays only where needed.
        value = elements(array) if array.ndim or array is value else constant_for(value, x.dtype)
    if not native(value.dtype) or (value.dtype.kind == "c" and x.dtype.kind != "c") or (parsed.masks and hidden):
        _write_at_once(x, parsed, value)  # errors and warnings must appear at this line
    elif parsed.masks:
        _write_masked(x, parsed, value)
    elif broadcasts_to(value.shape, parsed.shape(x.shape)):
        _write(x, parsed, value)
    else:
        _reject_value(x, parsed, value)


def _private_copy(array):
    """Return a copy with the same strides, which the windows of views refer to."""
    copied = array.copy(order="K")
    if copied.strides == array.strides:
        return copied
    if all(step == own for step, own, extent in zip(array.strides, copied.strides, array.shape, strict=True)
           if extent > 1):
        window = np.ndarray(array.shape, array.dtype, strides=array.strides)  # owns its memory
    else:
        window = laid_out_like(array)
    window[...] = array
    return window


core.set_hook("private_copy", _private_copy)


def _write(x, parsed, value):
    """Write through a valid key: at once if everything is evaluated, else lazily; in place if possible."""
    fill = parsed.template()
    if on_accelerator(x) and not parsed.masks and 0 not in parsed.shape(x.shape):
        value = cast(value, x.dtype)    # kernels need x's dtype

    def write(array, value, *arrays):
        array[fill(arrays)] = value

    scatters = None if parsed.masks else through_key(x, parsed, write)
    for function in (write, scatters):
        if function is not None:
            function.batch = functools.partial(_written_on_batch, fill)
    change("setitem", x, scatters or write, [value, *parsed.arrays], scatters is not None, fill=fill)


def assign(name, x, write, operands, value, scatters=None):
    """Call `change` for a function that only moves elements of operand number `value` to places in x.

    Its derivative follows from this. `scatters` does the same as `write`, natively.
    """
    change(name, x, scatters or write, operands, scatters is not None, moves=write, value=value)


def change(name, x, write, operands, is_native=False, **rule_arguments):
    """Call write(array, *operands) on x's memory: now, or when x is evaluated if anything is pending or on a device.

    `write` must not refer to LazyArrays. It returns None, or status flags and the name to report them under.
    `is_native`: it does not call NumPy. Reports call the change `name`. The derivative rule gets `rule_arguments` by
    name.
    """
    # Copying operands that are parts of x costs less than copying x; NumPy does so itself.
    parts = [is_native and base_of(array) is base_of(x) and array.size <= x.size for array in operands]
    if vjp.is_history_kept() or on_accelerator(x) or any(core.is_pending(array) for array in (x, *operands)):
        write.keywords = rule_arguments
        operands = [core.copy(array) if part else array for array, part in zip(operands, parts, strict=True)]
        core.update(name, x, write, operands, is_native)
        return
    if not is_native:
        note_immediate(name)
    given = [array.copy(order="K") if part else array
             for array, part in zip(values(list(operands)), parts, strict=True)]
    found = core.mutate(x, lambda array: write(array, *given), name, operands)
    if found is not None:
        core.report(*found)


def _write_at_once(x, parsed, value):
    note_immediate("setitem")
    operands = [value, *parsed.arrays]
    value, *arrays = values(operands)
    core.mutate(x, lambda array: operator.setitem(array, parsed.template()(arrays), value), "setitem", operands)


def broadcasts_to(shape, target):
    """Return whether a value of this shape can be assigned to a target of that one."""
    # Leading axes of length 1 are dropped in assignments.
    while len(shape) > len(target) and shape[0] == 1:
        shape = shape[1:]
    return joint_shape(shape, target) == target


def _reject_value(x, parsed, value):
    """Raise NumPy's error for a value of this shape, or write it if NumPy accepts it; masks are evaluated."""
    np.zeros(x.shape, x.dtype)[parsed.with_known_arrays(masks=True)] = np.zeros(value.shape, x.dtype)
    _write_at_once(x, parsed, value)


def _write_masked(x, parsed, value):
    mask = parsed.arrays[0]
    alone = parsed.is_mask_of(x)
    if not alone and parsed.all_have_axes and vjp.is_history_kept():
        setitem(x, without_masks(parsed.items), value)
        return
    trailing = x.shape[mask.ndim:]
    if alone and value.ndim <= len(trailing) and broadcasts_to(value.shape, trailing):
        core.assign(x, chosen(spread_mask(mask, x), value, x))
        return
    if on_accelerator(x) and parsed.all_have_axes and not vjp.is_history_kept():
        if alone:
            _write_lines(x, parsed, value)
        else:
            setitem(x, without_masks(parsed.items), value)
        return
    if value.ndim == 0:
        _write(x, parsed, value)
        return
    # How many values are needed is known from the mask's values alone.
    masks = [array for array in parsed.arrays if array.dtype == _BOOL]
    core.evaluate(*masks)
    if alone and (trailing or value.ndim == 1) and \
            broadcasts_to(value.shape, (int(np.count_nonzero(mask.numpy())), *trailing)):
        value = cleared(x, mask, value)
        if vjp.is_history_kept() and parsed.all_have_axes:  # a traced derivative cannot read the mask again
            setitem(x, without_masks(parsed.items), value)
        else:
            _write(x, parsed, value)
    else:
        _reject_value(x, parsed, value)


def _write_lines(x, parsed, value):
    """Write one value per true element of a mask of leading axes of x, by kernels of its device."""
    mask, = parsed.arrays
    trailing = x.shape[mask.ndim:]
    ranks, count = ranks_of(mask)
    if not (trailing or value.ndim == 1) or not broadcasts_to(value.shape, (count, *trailing)):
        _write_at_once(x, parsed, value)  # or raise what NumPy raises
    elif count:
        lines = np.broadcast_to(reshape_array(value, value.shape[-1 - len(trailing):]), (count, *trailing))
        there = lines_at(lines, reshape_array(ranks, mask.shape) - 1)
        core.assign(x, chosen(spread_mask(mask, x), there, x))


def cleared(x, mask, value):
    """Return a value to be written to x under a mask, copied if it is a part of x, and zero x there meanwhile.

    So no derivative leads to the overwritten values, whatever their slope. Does nothing unless history is kept.
    """
    if not vjp.is_history_kept() or x.dtype.kind not in "fc":
        return value
    value = core.copy(value) if base_of(value) is base_of(x) else value
    core.assign(x, core.select(spread_mask(mask, x), constant_for(0, x.dtype), x))
    return value


def chosen(mask, value, x):
    """Return value where the mask is true, else x; casts that may set flags only see these elements."""
    source, target = value.dtype.kind, x.dtype.kind
    harmless = (source in "biu" and target in "biu") or np.can_cast(value.dtype, x.dtype, "safe")
    discards = source == "c" and target != "c"  # NumPy warns of this in any case
    return core.select(mask, cast(value, x.dtype) if harmless or discards else value, x)
