"""Sorting and searching.

A native kernel sorts numbers, calling NumPy's function per line on all threads. Everything else is an opaque call of
NumPy.
"""
import functools
import operator
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.concatenation import unstack_array
from lazyarr.ops.forms import lower
from lazyarr.ops.gathering import Gather
from lazyarr.ops.index_key import MODES
from lazyarr.ops.numpy_fallback import at_once, call
from lazyarr.ops.opaque_rows import opaque_row
from lazyarr.ops.operands import LazyArray, cast, lazy, native, on_accelerator, probe, values
from lazyarr.ops.table import OPAQUE, row

_INTP = np.dtype(np.intp)


def _along_axis(function, a, axis, dtype, **options):
    """Call `function(a, axis=axis, ...)` lazily; the result has the shape of a, flattened if axis is None."""
    x = lazy(a)
    if x.dtype.hasobject or (x.ndim == 0 and axis is not None):  # comparing objects may raise
        return at_once(function, x, axis=axis, **options)
    if axis is None:
        x, axis = x.ravel(), 0
    axis = normalize_axis_index(axis, x.ndim)
    function(probe(x), axis=axis, **{k: 0 if k == "kth" else v for k, v in options.items()})

    along: Any = functools.partial(function, axis=axis, **options)
    along.batch = lambda call, operands, batched, size: _along_axis(function, *operands, axis + 1, dtype, **options)
    # index arrays are always in C order
    return call(along, [x], x.shape, dtype or x.dtype, name=function.__name__,
                axes=core.axes_copied(x) if dtype is None else None)


# NumPy's numbers of its algorithms, by first letter. What "heapsort" selects depends on NumPy's version.
_ALGORITHMS = {None: 0, "q": 0, "m": 2, "s": 2}


class _Lines(core.Kernel):
    """Sort or partition lines along an axis, or return the indices that do."""

    def __init__(self, name, axis, how):
        self.name, self.axis, self.how, self.indices = name, axis, how, name.startswith("arg")

    @property
    def keywords(self):
        return {"axis": self.axis}

    @property
    def attributes(self):
        return {"axis": self.axis, "algorithm": self.how}

    def __call__(self, out, x):
        lines = core.kernels.partition if "partition" in self.name else core.kernels.sort
        lines.fill(out, x, self.axis, self.how, self.indices)

    def reference(self, x):
        """Call NumPy's function of this name."""
        if "partition" in self.name:
            return getattr(np, self.name)(x, self.how, self.axis)
        return getattr(np, self.name)(x, self.axis, kind="stable" if self.how else "quicksort")

    def batch(self, call, operands, batched, size):
        return _lower(_Lines(self.name, self.axis + 1, self.how), *operands)


def _lower(kernel, x):
    """Return a pending call of a line kernel."""
    if kernel.indices:
        return core.kernel(kernel.name, kernel, [x], x.shape, _INTP)
    return core.kernel(kernel.name, kernel, [x], x.shape, x.dtype, core.axes_copied(x))


def _add_sort(function, what):
    """Register np.sort or np.argsort: a kernel for numbers in ascending order, an opaque call otherwise."""
    def sorted_lines(a, axis=-1, kind=None, order=None, *, stable=None, **kwargs):
        x = lazy(a)
        options = _order_options(kind, order, stable) | kwargs
        algorithm = 2 if stable else _ALGORITHMS.get(kind[:1].lower() if type(kind) is str else kind)
        if not _Lines.accept(x) or algorithm is None or order is not None or kwargs or \
                (x.ndim == 0 and axis is not None):
            return _along_axis(function, x, axis, None if function is np.sort else _INTP, **options)
        if axis is None:
            x, axis = x.ravel(), 0
        axis = normalize_axis_index(axis, x.ndim)
        if options:
            function(probe(x), axis=axis, **options)  # raises NumPy's error for incompatible options
        return _lower(_Lines(function.__name__, axis, algorithm), x)

    sentence = f"{what}: NumPy's {function.__name__} of each line, on all threads; in descending order, by NumPy when "
    return row(function, sentence=sentence + "evaluated.")(sorted_lines)


def _order_options(kind, order, stable):
    return {name: option for name, option in (("kind", kind), ("order", order), ("stable", stable))
            if option is not None}


sort, argsort = _add_sort(np.sort, "Sorted copy"), _add_sort(np.argsort, "Indices that sort")


def _add_partition(function, what):
    def partitioned_lines(a, kth, axis=-1, kind="introselect", order=None):
        x, kth = lazy(a), values(kth)
        extent = x.size if axis is None else x.shape[axis] if -x.ndim <= axis < x.ndim else 0
        places = kth if isinstance(kth, list | tuple) else [kth]
        if not all(isinstance(k, int | np.integer) and not isinstance(k, bool) and -extent <= k < extent
                   for k in places):
            return at_once(function, x, kth, axis, kind, order)
        if not _Lines.accept(x) or order is not None or x.ndim < 2 or axis is None:  # no gain on a single line
            return _along_axis(function, x, axis, None if function is np.partition else _INTP, kth=kth, kind=kind,
                               **_order_options(None, order, None))
        axis = normalize_axis_index(axis, x.ndim)
        function(probe(x), 0, axis, kind)  # raises for an unknown kind
        return _lower(_Lines(function.__name__, axis, np.array(kth, np.intp)), x)

    return row(function, sentence=f"{what}: NumPy's {function.__name__} of each line, lines on all threads.")(
        partitioned_lines)


partition = _add_partition(np.partition, "Partitioned copy")
argpartition = _add_partition(np.argpartition, "Indices that partition")
opaque_row(np.sort_complex, 1, "Sorted copy as complex numbers, by NumPy when evaluated.")


@row(np.searchsorted, kind=OPAQUE)
def searchsorted(a, v, side="left", sorter=None):
    """Insertion points, by NumPy when evaluated."""
    operands = [lazy(a), lazy(v)] + ([] if sorter is None else [lazy(sorter)])
    if any(x.dtype.hasobject for x in operands):
        return at_once(np.searchsorted, a, v, side, sorter)

    def places(x, v, sorter=None):
        return np.searchsorted(x, v, side, sorter)

    if on_accelerator(operands[0]) or on_accelerator(operands[1]):  # device kernels need operands of one dtype
        common = np.promote_types(operands[0].dtype, operands[1].dtype)
        operands[:2] = [cast(x, common) if native(common) else x for x in operands[:2]]
        operands[2:] = [cast(x, _INTP) if x.dtype.kind in "iu" else x for x in operands[2:]]
    places.keywords = {"side": side}
    return lower(("searchsorted", side), places, operands, "searchsorted")


@row(np.digitize, kind=OPAQUE)
def digitize(x, bins, right=False):
    """Indices of the bins that values fall into, by NumPy when evaluated."""
    x, bins, right = lazy(x), lazy(bins), bool(right)
    if x.dtype.hasobject or bins.dtype.hasobject:
        return at_once(np.digitize, x, bins, right)
    if not core.is_pending(bins):
        np.digitize(np.zeros(0), bins.numpy(), right)  # raises unless they are monotonic
    if on_accelerator(x) and x.dtype.kind in "biuf" and bins.dtype.kind in "biuf" and bins.ndim == 1 and bins.size \
            and not vjp.is_history_kept():
        edges = bins.numpy()
        np.digitize(np.zeros(0), edges, right)  # as above
        side = "left" if right else "right"
        return searchsorted(bins, x, side) if edges[0] <= edges[-1] else bins.size - searchsorted(bins[::-1], x, side)
    return lower(("digitize", right), lambda x, bins: np.digitize(x, bins, right), [x, bins], "digitize")


@row(np.lexsort, kind=OPAQUE)
def lexsort(keys, axis=-1):
    """Indices that sort by several keys, the last one first: one after another on a device, else by NumPy."""
    stacked, axis = isinstance(keys, LazyArray | np.ndarray), operator.index(axis)
    operands = [lazy(keys)] if stacked else [lazy(key) for key in keys]
    if not operands or any(x.dtype.hasobject for x in operands):
        return at_once(np.lexsort, keys, axis)
    if not (stacked and operands[0].ndim < 2):
        keys = unstack_array(operands[0], 0) if stacked else operands
        if keys and all(_sorts_there(x) and x.shape == keys[0].shape for x in keys):
            return lexsorted(keys, normalize_axis_index(axis, keys[0].ndim))
    return lower(("lexsort", stacked, axis), lambda *v: np.lexsort(v[0] if stacked else v, axis), operands, "lexsort")


def _sorts_there(x):
    return on_accelerator(x) and _Lines.accept(x) and x.dtype.kind != "c" and x.size and not vjp.is_history_kept()


def lexsorted(keys, axis):
    """Return the indices that sort by each key in turn; each sort is stable."""
    order = argsort(keys[0], axis, kind="stable")
    for key in keys[1:]:
        order = along_axis(order, argsort(along_axis(key, order, axis), axis, kind="stable"), axis)
    return order


def along_axis(x, places, axis):
    """Take elements along an axis at in-bounds indices, one set per line."""
    def by_numpy(v, i):
        return np.take_along_axis(v, i, axis)

    plan = {"joined": places.shape, "walked": tuple([-1 if d == axis else d for d in range(x.ndim)]),
            "indexed": (axis,), "block": (), "mode": MODES["clip"]}
    return Gather("take_along_axis", by_numpy, None, plan).node(x, [places], places.shape)
