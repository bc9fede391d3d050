"""Memory shared by arrays, found without evaluation by comparing their views of the storage of their bases.

Arrays with a common base are compared as ndarrays with the same strides and distance, on memory that is never accessed.
Arrays with different bases share memory only if both use memory that the caller passed in.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import LazyArray, map_lazy
from lazyarr.ops.table import NATIVE, Op, add, mirror


class Place:
    """An array interface `offset` bytes into fictitious memory, to be compared but never read."""

    def __init__(self, x):
        self.__array_interface__ = {"version": 3, "shape": x.shape, "strides": x.strides, "typestr": f"|V{x.itemsize}",
                                    "data": (_NOWHERE + core.offset(x), True)}


_NOWHERE = 1 << 40
_NOTHING = np.empty(0)


def base_of(x):
    """Return the array that owns x's storage: x itself unless it is a view."""
    return x if x._root is None else x._root


def same_place(a, b):
    """Return whether two LazyArrays are views of the same elements of the same memory."""
    return a is b or (base_of(a) is base_of(b) and a.dtype == b.dtype and a.shape == b.shape
                      and a.strides == b.strides and core.offset(a) == core.offset(b))


def unwarned(x):
    """Replace an array that warns on writes by one that does not, for C code that writes without checks.

    See `numpy.broadcast_arrays`: the array itself warns at the next write.
    """
    if not isinstance(x, LazyArray) or not x._warns_on_write:
        return x
    x = core.view(x, x.shape, x.strides)
    x._warns_on_write = False
    return x


def _comparable(a, b):
    """Return two ndarrays that share memory as a and b do, at least one of which is lazy."""
    if isinstance(a, LazyArray) and isinstance(b, LazyArray):
        if base_of(a) is base_of(b) and not a._scalar:
            return np.asarray(Place(a)), np.asarray(Place(b))
        if core.is_kept(a) or core.is_kept(b):
            return _NOTHING, _NOTHING  # each is copied before a write
    if any(isinstance(x, LazyArray) and (x._scalar or core.is_pending(x)) for x in (a, b)):
        return _NOTHING, _NOTHING  # a scalar, or storage not yet allocated
    return map_lazy((a, b), LazyArray.numpy)


def _compared(function):
    def public(a, b, /, max_work=None):
        if isinstance(a, LazyArray) or isinstance(b, LazyArray):
            a, b = _comparable(a, b)
        return function(a, b, max_work)

    return mirror(public, function)


for _function in (np.shares_memory, np.may_share_memory):
    add(Op(_function.__name__, _compared(_function), (_function,), NATIVE,
           doc="Compares memory addresses; evaluates nothing."))
