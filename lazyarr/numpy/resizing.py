"""Resizing in place, `x.resize(shape)`, and replacing what a handle shows.

Views of a resized array would show freed memory. Like NumPy, this refuses to resize an array with more than one
reference, be they views or names.
"""
import operator
import sys

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.tracebacks import hide_frames
from lazyarr.ops import layout
from lazyarr.ops.devices import beside
from lazyarr.ops.numpy_errors import guarded
from lazyarr.ops.table import TABLE


def become(x, reshaped, order="K"):
    """Make x show what `reshaped`, a view of it, shows; in this memory order if it owns its memory."""
    core.repoint(x, reshaped if x._root is not None or core.is_lent(x) else core.copy(reshaped, order=order))


class _Referenced:
    """Count the references that a method sees to an object that one variable refers to."""

    def count(self, *args, **keywords):
        return sys.getrefcount(self)


_sole = _Referenced()
_SOLE = _sole.count()
_SHARED = """cannot resize an array that references or is referenced
by another object in this way.
Use the np.resize function to get a new resized copy or
 set refcheck=False to disable this check"""


def resize(x, *new_shape, **keywords):
    """Change shape and size in place, in the order of memory; new elements are zeros."""
    try:
        if x._scalar:
            return
        shared = sys.getrefcount(x) > _SOLE
        checked = operator.index(keywords.pop("refcheck", True))
        _resize_guarded(x, *new_shape, shared=checked and shared, **keywords)
    except BaseException as error:
        hide_frames(error)
        raise


def _resize_in_place(x, *new_shape, shared):
    if not new_shape or new_shape == (None,):
        return
    shape = new_shape[0] if len(new_shape) == 1 else new_shape
    shape = tuple(shape) if np.iterable(shape) else (shape,)
    order = layout.order_of(x)
    if not layout.is_contiguous(x, order):
        raise ValueError("resize only works on single-segment arrays")
    resized = beside(TABLE["zeros"].function(shape, x.dtype, order), core.device_of(x))
    if resized.size == x.size:
        become(x, layout.reshape_array(x, shape, order), order)
        return
    if not core.owns_memory(x):
        raise ValueError("cannot resize this array: it does not own its data")
    if shared or core.is_lent(x):
        raise ValueError(_SHARED)
    kept = min(x.size, resized.size)
    layout.ravel(resized, order)[:kept] = layout.ravel(x, order)[:kept]
    core.repoint(x, resized)


def _resize_by_numpy(x, *new_shape, shared, **keywords):
    x.resize(*new_shape, **(keywords or {"refcheck": False}))


_resize_guarded = guarded(_resize_in_place, _resize_by_numpy, False)
