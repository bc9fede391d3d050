"""Keys: parsed index expressions.

Known indices are checked at the call, so that an IndexError is raised on its line.
"""
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.forms import iterated_axes
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.operands import LazyArray, dummy, elements, joint_shape, known_outside, lazy, values
from lazyarr.ops.true_places import nonzero
from lazyarr.ops.vmap_helpers import in_front

_BOOL = np.dtype(bool)


class Key:
    """A parsed index expression.

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
        Whether the items can index the array at all, as far as that is known without evaluating. What index arrays hold
        is not checked if the key is used `at_once`.
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
        self.joined = None if self.masks else joint_shape(*[item.shape for item in self.arrays])
        self.fits = self._in_bounds(x.shape) and (self.masks or self.joined is not None)

    @property
    def all_have_axes(self):
        """Return whether no index array is 0-d."""
        return all(item.ndim for item in self.arrays)

    def is_mask_of(self, x):
        """Return whether it is a single mask of some or all leading axes of x."""
        mask, *rest = self.arrays or [None]
        return self.masks and not rest and self.items[0] is mask and mask.shape == x.shape[:mask.ndim] and \
            all(item == slice(None) for item in self.items[1:])

    def _axes(self, shape):
        """Return (item, the extent it indexes or None) for each item; the extents of all its axes for a mask."""
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
                # NumPy accepts empty axes of a mask.
                if any(n not in (0, along) for n, along in zip(item.shape, extent, strict=True)):
                    return False
            elif isinstance(item, LazyArray):
                if not self._at_once and known_outside(item, -extent, extent):
                    return False
            elif isinstance(item, int) and not -extent <= item < extent:
                return False
        return True

    def shape(self, shape):
        """Return the shape of an array of this shape indexed with integer arrays."""
        found = [1 if item is None else len(range(*item.indices(extent))) for item, extent in self._axes(shape)
                 if item is None or isinstance(item, slice)]
        return (*found[:self.before], *self.joined, *found[self.before:])

    @property
    def before(self):
        """Return how many axes of the result precede those of the index arrays."""
        # Integers beside index arrays count as 0-d index arrays.
        advanced = [i for i, item in enumerate(self.items) if isinstance(item, LazyArray | int)]
        return advanced[0] if advanced and advanced[-1] - advanced[0] == len(advanced) - 1 else 0

    def memory_axes(self, x):
        """Return the memory order of x[key], outermost first; None for C order.

        The axes of the index arrays are outside all others, wherever they are in the shape; sliced axes are laid out as
        in a copy. Without slices the result is laid out like the index arrays.
        """
        if all(isinstance(item, LazyArray | int) for item in self.items):
            return iterated_axes(self.arrays) if any(core.axes_copied(item) for item in self.arrays) else None
        if x.size == 0 or not any(isinstance(item, slice) for item in self.items):
            return None
        sliced = x[tuple([0 if isinstance(item, LazyArray | int) else item for item in self.items])]
        order = core.axes_copied(sliced) or range(sliced.ndim)
        joined, before = len(self.joined), self.before
        axes = (*range(before, before + joined), *[axis if axis < before else axis + joined for axis in order])
        return None if axes == tuple(range(len(axes))) else axes

    def template(self):
        """Return a function from ndarrays to the key with these as its index arrays."""
        return template_of(self.items)

    def with_known_arrays(self, masks=False):
        """Return the key with ndarrays, zeros for pending index arrays; with `masks`, masks have values."""
        return self.template()([
            np.zeros(item.shape, item.dtype) if core.is_pending(item) and not (masks and item.dtype == _BOOL)
            else item.numpy() for item in self.arrays])

    def reject(self, x, function):
        """Raise NumPy's error for this key."""
        function(dummy(x), self.with_known_arrays())
        raise AssertionError("NumPy accepted a key that does not fit")


_PLACE = object()  # stands for an index array in a key


def template_of(items):
    """Return a function from ndarrays to a key with these as its index arrays.

    It does not refer to the arrays: their new values may depend on the call it is part of.
    """
    items = [_PLACE if isinstance(item, LazyArray) else item for item in items]

    def fill(arrays):
        remaining = iter(arrays)
        return tuple([next(remaining) if item is _PLACE else item for item in items])

    return fill


def _item(item):
    """Return one part of a key: arrays and array-likes as LazyArrays, integers as ints."""
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
            pass  # a range or another sequence, or an invalid index
    array = index_array(item)
    if array.dtype.kind not in "biu" and not isinstance(item, np.ndarray):
        np.zeros(1)[item]  # raises
    return array


def index_array(item):
    """Return indices as a LazyArray."""
    array = core.asarray_of_others(values(item))
    if array.size == 0 and not isinstance(item, np.ndarray):
        array = array.astype(np.intp)
    return core.from_numpy(array) if array is not item else elements(array)


def arrays_come_first(fill, arrays):
    """Return whether a key begins with its index arrays, so that their axes come first, and has no masks."""
    *_, last = [k for k, item in enumerate(fill(arrays)) if isinstance(item, LazyArray)]
    return last == len(arrays) - 1 and not any(array.dtype == _BOOL for array in arrays) and \
        not any(item is None or item is Ellipsis for item in fill(arrays))


def key_on_batch(fill, arrays, batched, size, x_is_batched):
    """Return the key with a batch axis in its index arrays, and an index of the batch axis for a batched array."""
    ndim = max([array.ndim - is_batched for array, is_batched in zip(arrays, batched, strict=True)])
    arrays = [in_front(array, is_batched, ndim) for array, is_batched in zip(arrays, batched, strict=True)]
    ahead = [np.arange(size).reshape(size, *[1] * ndim)] if x_is_batched else []
    return (*ahead, *fill(arrays))


MODES = {"raise": 0, "wrap": 1, "clip": 2}  # codes of the native kernels


def without_masks(items):
    """Return a key with index arrays in place of masks, which are evaluated."""
    places = []
    for item in items:
        places += nonzero(item) if isinstance(item, LazyArray) and item.dtype == _BOOL else (item,)
    return tuple(places)


def constant_for(value, dtype):
    """Convert a Python or NumPy scalar as an assignment through an index array does, errors included."""
    converted = np.zeros(1, dtype)
    converted[[0]] = value
    return core.asarray_operand(converted.reshape(()))


def spread_mask(mask, x):
    """Return a mask of leading axes with axes of length 1 for the others."""
    return reshape_array(mask, mask.shape + (1,) * (x.ndim - mask.ndim)) if x.ndim > mask.ndim else mask
