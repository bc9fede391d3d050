"""Calls rehearsed on stand-ins, so that NumPy raises its own errors at the line of the call.

A stand-in has an operand's dtype and number of axes but small extents: equal extents stay equal, different ones stay
different, and 0 and 1 are kept. A call that fails on the operands fails on these, too, unless the error depends on
values. As messages may name extents and depend on lists among the arguments, a failed call is repeated on stand-ins
of the original shapes. That is cheap, since NumPy checks shapes first.
"""
import math
import warnings

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.operands import Foreign, LazyArray, laid_out_like, map_lazy, values

# Errors about shapes, dtypes and arguments; an IndexError may depend on the values of indices.
WRONG_FORM = (TypeError, ValueError, AttributeError)

_LARGEST = 1 << 30  # elements of a stand-in


class OwnError(ValueError):
    """An error of a call that must not be rehearsed: NumPy does not know the arguments, or would never finish."""


def rehearse(function, args, kwargs):
    """Raise what NumPy would raise for the shapes, dtypes and arguments of `function(*args, **kwargs)`.

    LazyArrays and ndarrays among the arguments, also in lists and tuples, are neither evaluated nor changed.
    """
    known = {0: 0, 1: 1}

    def small(shape):
        return tuple([known.setdefault(extent, len(known)) for extent in shape])

    with np.errstate(all="ignore"):
        try:
            function(*_stand_ins(args, small, False), **_stand_ins(kwargs, small, False))
        except Exception:
            function(*_stand_ins(args, tuple, True), **_stand_ins(kwargs, tuple, True))


def explain(function, args, kwargs):
    """Raise NumPy's error for a failed call, so that messages are NumPy's; return if NumPy accepts the call."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rehearse(function, args, kwargs)
    except Exception as error:
        raise error.with_traceback(None) from None


def _stand_ins(obj, shaped, large):
    """Replace each array in obj by a stand-in; large ones take no memory until written to."""
    return map_lazy(obj, lambda x: _stand_in(x, shaped, large), (LazyArray, np.ndarray, Deferred))


def _stand_in(x, shaped, large):
    if isinstance(x, Deferred):
        raise Foreign
    if isinstance(x, np.matrix):
        return x
    shape, is_lazy = shaped(x.shape), isinstance(x, LazyArray)
    if is_lazy and x._scalar:
        return np.ones((), x.dtype)[()]
    if large and math.prod(shape) > _LARGEST:  # NumPy may object to the strides of a broadcast array
        return np.broadcast_to(np.ones((), x.dtype), shape)
    if not is_lazy and x.ndim == 0:  # its value may be an axis
        array = x.copy()
    elif large and x.dtype.hasobject and not (is_lazy and core.is_pending(x)):
        array = np.array(values(x))  # errors about objects depend on their values
    elif large and x.itemsize and not x.dtype.hasobject:
        array = laid_out_like(x)
    else:
        array = np.ones(shape, x.dtype)
    array.flags.writeable = x._writeable if is_lazy else x.flags.writeable
    return array
