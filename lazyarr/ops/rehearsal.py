"""Calls rehearsed on stand-ins, so that NumPy itself raises its errors where the call is written.

A stand-in has an operand's dtype and number of axes, but small extents: equal ones stay equal, different ones stay
different, 0 and 1 stay what they are. A call that fails on the operands fails on these too, but for errors that depend
on values. The message may name extents, and depends on lists among the arguments; so a call that failed is repeated on
stand-ins of the operands' own shapes. That costs little, since NumPy checks shapes first.
"""
import math
import warnings

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.operands import Foreign, LazyArray, laid_out_like, map_lazy, values

# Errors about the form of a call; an IndexError may depend on the values of indices.
WRONG_FORM = (TypeError, ValueError, AttributeError)

_LARGEST = 1 << 30  # elements of a stand-in


class OwnError(ValueError):
    """An error of a call that NumPy does not check: it does not know the form, or would never end."""


def rehearse(function, args, kwargs):
    """Raise what `function(*args, **kwargs)`, a call of NumPy's, will raise for its form, its dtypes and its shapes.

    LazyArrays and ndarrays among the arguments, in lists and tuples too, are neither evaluated nor changed.
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
    """Raise what NumPy raises for a call that went wrong; nothing if NumPy finds no fault in its form.

    What this library says about a wrong argument may be put otherwise than NumPy puts it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rehearse(function, args, kwargs)
    except Exception as error:
        raise error.with_traceback(None) from None


def _stand_ins(obj, shaped, large):
    """obj with a stand-in for each array in it; large ones take no memory until they are written to."""
    return map_lazy(obj, lambda x: _stand_in(x, shaped, large), (LazyArray, np.ndarray, Deferred))


def _stand_in(x, shaped, large):
    if isinstance(x, Deferred):
        raise Foreign
    if isinstance(x, np.matrix):
        return x
    shape, is_lazy = shaped(x.shape), isinstance(x, LazyArray)
    if is_lazy and x._scalar:
        return np.ones((), x.dtype)[()]
    if large and math.prod(shape) > _LARGEST:  # broadcast, perhaps; NumPy may find fault with its strides
        return np.broadcast_to(np.ones((), x.dtype), shape)
    if not is_lazy and x.ndim == 0:  # its value may be an axis
        array = x.copy()
    elif large and x.dtype.hasobject and not (is_lazy and core.is_pending(x)):
        array = np.array(values(x))  # what is wrong about objects depends on them
    elif large and x.itemsize and not x.dtype.hasobject:
        array = laid_out_like(x)
    else:
        array = np.ones(shape, x.dtype)
    array.flags.writeable = x._writeable if is_lazy else x.flags.writeable
    return array
