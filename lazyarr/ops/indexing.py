"""Indexing with arrays: reading and writing through integer arrays and boolean masks, and the functions for it.

The core knows integers, slices, `...` and None; for any other key it calls `getitem` and `setitem` here.
Integer arrays are read and written lazily: the shape follows from the key alone. Of a boolean mask only the
number of true elements tells the shape, so reading evaluates; writing a value that broadcasts does not.
Indices that are known are checked where they are used, so that an IndexError is raised at its line.
"""
import functools
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.forms import iterated_axes
from lazyarr.ops.gathering import gather, gathers
from lazyarr.ops.layout import contiguous_strides, reshape_array
from lazyarr.ops.numpy_fallback import call, note_immediate, remembering
from lazyarr.ops.operands import (
    LazyArray,
    cast,
    dummy,
    find_lazy,
    gathered,
    known_outside,
    laid_out_like,
    lazy,
    native,
    values,
    values_for,
    wrap,
)
from lazyarr.ops.scattering import through_key
from lazyarr.ops.shares_memory import base_of
from lazyarr.ops.vmap_helpers import in_front

_BOOL = np.dtype(bool)
_INTP = np.dtype(np.intp)


_PLACE = object()  # of an index array in a key


class Key:
    """An index expression taken apart.

    Attributes
    ----------
    items : list
        Integers, slices, None, and index arrays as LazyArrays; `...` is expanded to slices.
    arrays : list of LazyArray
        The index arrays among the items.
    masks : bool
        Whether a boolean array is among them.
    joined : tuple of int or None
        What the index arrays broadcast to, if there are no masks.
    fits : bool
        Whether the items can index the array at all, as far as that is known without evaluating.

    Parameters
    ----------
    x : LazyArray
        The array that is indexed.
    key : object
    at_once : bool
        Whether the key is used at once if its arrays are there: what they hold is checked then.
    """

    def __init__(self, x, key, at_once=False):
        given = list(key) if isinstance(key, tuple) else [key]
        items = [_item(item) for item in given]
        self.arrays = [item for item in items if isinstance(item, LazyArray)]
        self.masks = any(item.dtype == _BOOL for item in self.arrays)
        used = sum(item.ndim if isinstance(item, LazyArray) and item.dtype == _BOOL else 1
                   for item in items if item is not None and item is not Ellipsis)
        ellipses = sum(item is Ellipsis for item in items)
        self.fits = used <= x.ndim and ellipses <= 1 and all(item.dtype.kind in "biu" for item in self.arrays)
        self.ellipsis = ellipses > 0
        if not self.fits:
            self.items = items
            return
        fill = [slice(None)] * (x.ndim - used)
        at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
        self.items = items + fill if at is None else items[:at] + fill + items[at + 1:]
        self._at_once = at_once and not any(core.is_pending(item) for item in self.arrays)
        self.joined = None
        self.fits = self._in_bounds(x.shape) and (self.masks or self._broadcast())

    @property
    def all_have_axes(self):
        """Whether no index array is a single number or truth value."""
        return all(item.ndim for item in self.arrays)

    def is_mask_of(self, x):
        """Whether it is one mask, of some or all leading axes of x."""
        mask, *rest = self.arrays or [None]
        return self.masks and not rest and self.items[0] is mask and mask.shape == x.shape[:mask.ndim] and \
            all(item == slice(None) for item in self.items[1:])

    def _broadcast(self):
        try:
            self.joined = core.broadcast_shape(*[item.shape for item in self.arrays])
        except ValueError:
            return False
        return True

    def _axes(self, shape):
        """(item, the extent it indexes or None) for each item; the extents of all its axes for a mask."""
        extents, found = iter(shape), []
        for item in self.items:
            if isinstance(item, LazyArray) and item.dtype == _BOOL:
                found.append((item, tuple([next(extents) for _ in range(item.ndim)])))
            else:
                found.append((item, None if item is None else next(extents)))
        return found

    def _in_bounds(self, shape):
        for item, extent in self._axes(shape):
            if isinstance(item, LazyArray) and item.dtype == _BOOL:
                # NumPy takes no axes of a mask for wrong that are empty.
                if any(n not in (0, along) for n, along in zip(item.shape, extent, strict=True)):
                    return False
            elif isinstance(item, LazyArray):
                if not self._at_once and known_outside(item, -extent, extent):
                    return False
            elif isinstance(item, int) and not -extent <= item < extent:
                return False
        return True

    def shape(self, shape):
        """The shape of an array of this shape indexed with integer arrays."""
        # Integers beside index arrays count as index arrays without axes.
        advanced = [i for i, item in enumerate(self.items) if isinstance(item, LazyArray | int)]
        joined = self.joined
        adjacent = bool(advanced) and advanced == list(range(advanced[0], advanced[-1] + 1))
        found = [] if adjacent else list(joined)
        for i, (item, extent) in enumerate(self._axes(shape)):
            if adjacent and i == advanced[0]:
                found += joined
            if item is None:
                found.append(1)
            elif isinstance(item, slice):
                found.append(len(range(*item.indices(extent))))
        return tuple(found)

    def memory_axes(self, x):
        """The axes of x[key] as they lie in memory, outermost first; None for C order.

        The axes of the index arrays lie outside all others, wherever they stand in the result's shape; those that are
        sliced lie as in a copy. Where none is sliced the result lies as the index arrays do.
        """
        if all(isinstance(item, LazyArray | int) for item in self.items):
            return iterated_axes(self.arrays) if any(core.axes_copied(item) for item in self.arrays) else None
        if x.size == 0 or not any(isinstance(item, slice) for item in self.items):
            return None
        advanced = [i for i, item in enumerate(self.items) if isinstance(item, LazyArray | int)]
        sliced = x[tuple([0 if i in advanced else item for i, item in enumerate(self.items)])]
        order = core.axes_copied(sliced) or range(sliced.ndim)
        joined = len(self.joined)
        adjacent = advanced[-1] - advanced[0] == len(advanced) - 1
        before = advanced[0] if adjacent else 0
        axes = (*range(before, before + joined), *[axis if axis < before else axis + joined for axis in order])
        return None if axes == tuple(range(len(axes))) else axes

    def template(self):
        """A function from ndarrays to the key with them in the places of its index arrays.

        It does not refer to those arrays: their new values may depend on the call it is part of.
        """
        items = [_PLACE if isinstance(item, LazyArray) else item for item in self.items]

        def fill(arrays):
            remaining = iter(arrays)
            return tuple([next(remaining) if item is _PLACE else item for item in items])

        return fill

    def reject(self, x, function):
        """Raise what NumPy raises for this key."""
        stand_ins = [item.numpy() if not core.is_pending(item) else np.zeros(item.shape, item.dtype)
                     for item in self.arrays]
        function(dummy(x), self.template()(stand_ins))
        raise AssertionError("NumPy accepted a key that does not fit")


def _item(item):
    """One part of a key: arrays and what stands for them as LazyArrays, integers as ints."""
    if item is None or item is Ellipsis or isinstance(item, slice | LazyArray):
        return item
    if isinstance(item, bool | np.bool_):
        return lazy(np.array(item))
    if isinstance(item, int):
        return item
    if isinstance(item, np.generic) or not (isinstance(item, list | tuple) or hasattr(item, "__array__")):
        try:
            return operator.index(item)
        except TypeError:
            pass  # a range or another sequence, or no index at all
    array = index_array(item)
    if array.dtype.kind not in "biu" and not isinstance(item, np.ndarray):
        np.zeros(1)[item]  # raises
    return array


def index_array(item):
    """Indices as a LazyArray."""
    array = core.asarray_of_others(values(item))
    if array.size == 0 and not isinstance(item, np.ndarray):
        array = array.astype(np.intp)
    return core.from_numpy(array) if array is not item else lazy(array)


def getitem(x, key):
    """x[key] for keys with arrays in them."""
    for item in key if type(key) is tuple else (key,):
        if isinstance(item, Deferred):
            return item.computed("operator getitem", operator.getitem, x, key)
    if isinstance(key, str | list) and x.dtype.names is not None and _names_fields(key):
        return _fields(x, key)
    if _is_mask_of(key, x):
        return core.selection(x, core.asarray_operand(key))
    parsed = Key(x, key)
    if not parsed.fits:
        parsed.reject(x, operator.getitem)
    if parsed.masks and parsed.all_have_axes and vjp.is_history_kept():
        if parsed.is_mask_of(x) and core.is_pending(x) and x.dtype.kind in "fc":  # no derivative leads past the mask
            x = core.select(_spread(parsed.arrays[0], x), x, constant_for(0, x.dtype))
        return x[without_masks(parsed.items)]
    if parsed.masks or not parsed.arrays or x.dtype.hasobject:
        return _read_at_once(x, parsed)
    shape = parsed.shape(x.shape)
    fill = parsed.template()
    gathered = _gather_key(x, parsed, shape)
    if gathered is not None:
        return gathered

    def read(v, *arrays):
        return v[fill(arrays)]

    read.keywords = {"fill": fill}
    read.batch = functools.partial(_read_on_batch, fill)
    return call(read, [x, *parsed.arrays], shape, x.dtype, scalar=not shape and not parsed.ellipsis, name="getitem",
                axes=parsed.memory_axes(x))


def _read_on_batch(fill, call, operands, batched, size):
    """x[key] on a batch, where that can be one key."""
    x, *arrays = operands
    return x[_key_on_batch(fill, arrays, batched[1:], size, batched[0])] if _arrays_come_first(fill, arrays) else None


def _arrays_come_first(fill, arrays):
    """Whether a key has its index arrays in front, so that their axes come first in what it names, and no masks."""
    *_, last = [k for k, item in enumerate(fill(arrays)) if isinstance(item, LazyArray)]
    return last == len(arrays) - 1 and not any(array.dtype == _BOOL for array in arrays) and \
        not any(item is None or item is Ellipsis for item in fill(arrays))


def _key_on_batch(fill, arrays, batched, size, x_is_batched):
    """The key with one more axis in its index arrays, and, for an array that is batched, an index of that axis."""
    ndim = max([array.ndim - is_batched for array, is_batched in zip(arrays, batched, strict=True)])
    arrays = [in_front(array, is_batched, ndim) for array, is_batched in zip(arrays, batched, strict=True)]
    ahead = [np.arange(size).reshape(size, *[1] * ndim)] if x_is_batched else []
    return (*ahead, *fill(arrays))


def _written_on_batch(fill, call, operands, batched, size):
    """A function that writes through a key on a batch, where that can be one key."""
    arrays = operands[2:]
    if not arrays or not _arrays_come_first(fill, arrays):
        return None
    ndim = max([array.ndim - is_batched for array, is_batched in zip(arrays, batched[2:], strict=True)])
    joined = len(arrays) + sum(isinstance(item, int) for item in fill(arrays))

    def write(array, value, *arrays):
        places = ndim + array.ndim - 1 - joined
        while value.ndim - batched[1] > places:  # leading axes of length 1
            value = value[:, 0] if batched[1] else value[0]
        array[_key_on_batch(fill, arrays, batched[2:], size, True)] = in_front(value, batched[1], places)

    return write


MODES = {"raise": 0, "wrap": 1, "clip": 2}  # as the native kernels know them


def _gather_key(x, parsed, shape):
    """x[key] with index arrays and slices as a native node; None for keys with more in them, and for one element."""
    if not shape or not gathers(x, parsed.arrays) or any(item is None or isinstance(item, int)
                                                          for item in parsed.items):
        return None
    indexed = tuple([i for i, item in enumerate(parsed.items) if isinstance(item, LazyArray)])
    sliced = x[tuple([slice(None) if i in indexed else item for i, item in enumerate(parsed.items)])]
    joined = parsed.joined or (1,)
    axes = parsed.memory_axes(x)
    if axes is not None and len(indexed) == x.ndim:
        return None  # the kernel writes what is joined in C order
    block = [axis for axis in range(x.ndim) if axis not in indexed]
    if axes is not None:  # the result's other axes, as numbers among themselves, lie like this
        ahead = indexed[0] if indexed[-1] - indexed[0] == len(indexed) - 1 else 0
        njoined = len(shape) - len(block)
        block = [block[axis if axis < ahead else axis - njoined]
                 for axis in axes if not ahead <= axis < ahead + njoined]
    key = [_PLACE if i in indexed else slice(None) for i in range(x.ndim)]

    def by_numpy(v, *arrays):
        remaining = iter(arrays)
        return v[tuple([next(remaining) if item is _PLACE else item for item in key])]

    return gather("getitem", by_numpy, sliced, parsed.arrays, shape, axes, joined=joined, walked=(-1,) * len(joined),
                   indexed=indexed, block=tuple(block))


def _is_mask_of(key, x):
    """Whether x[key] is a selection: a mask as large as x, of native dtype."""
    return isinstance(key, LazyArray | np.ndarray) and key.dtype == _BOOL and key.ndim > 0 and key.shape == x.shape \
        and native(x.dtype)


def elements_under(array, mask):
    """The elements under a mask: what a selection is once it settles."""
    note_immediate("boolean_index")
    return core.elements_under(array, mask)


def without_masks(items):
    """A key with the places of what masks choose in the places of the masks, which are evaluated."""
    places = []
    for item in items:
        places += np.nonzero(item.numpy()) if isinstance(item, LazyArray) and item.dtype == _BOOL else (item,)
    return tuple(places)


def _read_at_once(x, parsed):
    if parsed.arrays and parsed.arrays[0].ndim and parsed.is_mask_of(x):
        return wrap(elements_under(*values([x, *parsed.arrays])))
    note_immediate("boolean_index" if parsed.masks else "getitem")
    array, *arrays = values([x, *parsed.arrays])
    result = array[parsed.template()(arrays)]
    result = wrap(result) if isinstance(result, np.ndarray) else core.scalar(core.from_numpy(np.array(result)))
    return remembering(result, [x, *parsed.arrays], "getitem")


def _names_fields(key):
    return isinstance(key, str) or all(isinstance(name, str) for name in key)


def _fields(x, key):
    if isinstance(key, list):  # a record of the fields, in their places
        return core.view(x, x.shape, x.strides, 0, np.empty(0, x.dtype)[key].dtype)
    if key not in x.dtype.fields:
        np.empty(0, x.dtype)[key]  # raises
    dtype, offset = x.dtype.fields[key][:2]
    element, inner = dtype.subdtype or (dtype, ())
    return core.view(x, x.shape + inner, x.strides + contiguous_strides(inner, element.itemsize), offset, element)


def constant_for(value, dtype):
    """A Python or NumPy scalar converted as an assignment through an index array converts it, errors included."""
    converted = np.zeros(1, dtype)
    converted[[0]] = value
    return core.asarray_operand(converted.reshape(()))


def _is_element(x, key):
    """Whether a key means one element of x, which may hold an array, and not several."""
    try:
        return not isinstance(dummy(x)[key], np.ndarray)
    except IndexError:
        return False


def setitem(x, key, value):
    """x[key] = value for keys with arrays in them, and for any key where the core has no loops for x's dtype."""
    if not native(x.dtype) or not native(base_of(x).dtype) or not x.flags.aligned:
        note_immediate("setitem")
        operands = find_lazy((key, value))
        key = values(key)
        gives_elements = isinstance(value, LazyArray) and not _is_element(x, key)
        value = values(value) if gives_elements else values_for(x.dtype, value)
        _lent = [core.lent(item) for item in find_lazy(value)]  # evaluated, and where they are as long as x changes
        core.mutate(x, lambda array: operator.setitem(array, key, value), "setitem", operands)
        return
    hidden = core.overlaps_itself(x)
    if isinstance(value, LazyArray) and core.is_selection(value) and isinstance(key, LazyArray) and not hidden \
            and core.put_selection(x, key, value):
        return
    pending = core.is_pending(x) or (isinstance(value, LazyArray) and core.is_pending(value))
    parsed = Key(x, key, at_once=not pending)
    if not parsed.fits:
        parsed.reject(x, lambda a, key: operator.setitem(np.zeros(a.shape, a.dtype), key, values(value)))
    if not isinstance(value, LazyArray):
        if isinstance(value, np.ndarray):
            value = np.asarray(value)  # whatever class it is of
        array = gathered(value) if find_lazy([value]) else core.asarray_of_others(value)
        # What is no array NumPy converts beforehand, an array only where it is needed.
        value = lazy(array) if array.ndim or array is value else constant_for(value, x.dtype)
    if not native(value.dtype) or (value.dtype.kind == "c" and x.dtype.kind != "c") or (parsed.masks and hidden):
        _write_at_once(x, parsed, value)  # what can fail or warn does so where it is written
    elif parsed.masks:
        _write_masked(x, parsed, value)
    elif broadcasts_to(value.shape, parsed.shape(x.shape)):
        _write(x, parsed, value)
    else:
        _reject_value(x, parsed, value)


def _private_copy(array):
    """A copy with the strides of the array, which the windows of its views refer to."""
    copied = array.copy(order="K")
    if copied.strides == array.strides:
        return copied
    if all(step == own for step, own, extent in zip(array.strides, copied.strides, array.shape, strict=True)
           if extent > 1):
        window = np.ndarray(array.shape, array.dtype, strides=array.strides)  # which owns its memory
    else:
        window = laid_out_like(array)
    window[...] = array
    return window


core.set_hook("private_copy", _private_copy)


def _write(x, parsed, value):
    """Write through a key that fits: at once if all is known, else when it is evaluated; in place if nobody objects."""
    fill = parsed.template()

    def write(array, value, *arrays):
        array[fill(arrays)] = value

    scatters = None if parsed.masks else through_key(x, parsed, write)
    for function in (write, scatters):
        if function is not None:
            function.batch = functools.partial(_written_on_batch, fill)
    change("setitem", x, scatters or write, [value, *parsed.arrays], scatters is not None, fill=fill)


def assign(name, x, write, operands, value, scatters=None):
    """`change` for a function that only moves elements of one operand, by its number, to places in x.

    Its derivative is told by what it does with numbers in the place of these elements.

    Parameters
    ----------
    name : str
    x : LazyArray
    write : callable
    operands : list of LazyArray
    value : int
    scatters : callable, optional
        The same as `write`, natively.
    """
    change(name, x, scatters or write, operands, scatters is not None, moves=write, value=value)


def change(name, x, write, operands, is_native=False, **told):
    """write(array, *operands) on x's memory: when x is evaluated if anything is pending, else now.

    Parameters
    ----------
    name : str
        What the report calls it.
    x : LazyArray
    write : callable
        It must refer to no LazyArray. It returns None, or floating-point flags that came up and the name of what raised
        them.
    operands : list of LazyArray
    is_native : bool
        Whether it is no call of NumPy's.
    told : dict
        What the rule for its derivative is told.
    """
    # Copying operands that are parts of x costs less than copying x; NumPy does so itself.
    parts = [is_native and base_of(array) is base_of(x) and array.size <= x.size for array in operands]
    if vjp.is_history_kept() or any(core.is_pending(array) for array in (x, *operands)):
        write.keywords = told
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
    """Whether a value of this shape can be assigned to a target of that one."""
    # Leading axes of length 1 are dropped in assignments.
    while len(shape) > len(target) and shape[0] == 1:
        shape = shape[1:]
    try:
        return core.broadcast_shape(shape, target) == target
    except ValueError:
        return False


def _reject_value(x, parsed, value):
    """Raise what NumPy raises for a value of this shape, or write it if NumPy takes it."""
    arrays = [array.numpy() if not core.is_pending(array) else np.zeros(array.shape, array.dtype)
              for array in parsed.arrays]
    np.zeros(x.shape, x.dtype)[parsed.template()(arrays)] = np.zeros(value.shape, x.dtype)
    _write_at_once(x, parsed, value)


def _write_masked(x, parsed, value):
    mask = parsed.arrays[0]
    alone = parsed.is_mask_of(x)
    if not alone and parsed.all_have_axes and vjp.is_history_kept():
        setitem(x, without_masks(parsed.items), value)
        return
    trailing = x.shape[mask.ndim:]
    if alone and value.ndim <= len(trailing) and broadcasts_to(value.shape, trailing):
        core.assign(x, chosen(_spread(mask, x), value, x))
        return
    if value.ndim == 0:
        _write(x, parsed, value)
        return
    # How many values are needed is known from the mask's values alone.
    masks = [array for array in parsed.arrays if array.dtype == _BOOL]
    core.evaluate(*masks)
    if alone and (trailing or value.ndim == 1) and \
            broadcasts_to(value.shape, (int(np.count_nonzero(mask.numpy())), *trailing)):
        _write(x, parsed, cleared(x, mask, value))
    else:
        _reject_value(x, parsed, value)


def _spread(mask, x):
    """A mask of leading axes with axes of length 1 for the others."""
    return reshape_array(mask, mask.shape + (1,) * (x.ndim - mask.ndim)) if x.ndim > mask.ndim else mask


def cleared(x, mask, value):
    """A value that is written to x under a mask next, a copy if it is a part of x, where zeros are put there meanwhile.

    So no derivative leads to what was there, whatever slope it has; nothing is done where no history is kept.
    """
    if not vjp.is_history_kept() or x.dtype.kind not in "fc":
        return value
    value = core.copy(value) if base_of(value) is base_of(x) else value
    core.assign(x, core.select(_spread(mask, x), constant_for(0, x.dtype), x))
    return value


def chosen(mask, value, x):
    """Value where the mask holds, else x; a cast that may set floating-point errors sees no more of the value."""
    source, target = value.dtype.kind, x.dtype.kind
    harmless = (source in "biu" and target in "biu") or np.can_cast(value.dtype, x.dtype, "safe")
    discards = source == "c" and target != "c"  # of which NumPy warns in any case
    return core.select(mask, cast(value, x.dtype) if harmless or discards else value, x)
