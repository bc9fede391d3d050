"""Calls rehearsed on stand-ins, so that NumPy itself raises its errors where the call is written.

A stand-in has an operand's dtype and number of axes, but small extents: equal ones stay equal, different ones stay
different, 0 and 1 stay what they are. A call that fails on the operands fails on these too, but for errors that depend
on values. The message may tell of extents, and a list among the arguments has its own; so a call that failed is made
once more, on stand-ins of the operands' own shapes. That costs little, since NumPy looks at shapes first.
"""
import numpy as np

from lazyarr.ops.operands import LazyArray


def rehearse(function, args, kwargs):
    """Raise what `function(*args, **kwargs)` will raise for its form, its dtypes and its shapes.

    Parameters
    ----------
    function : callable
        One of NumPy's.
    args : sequence
    kwargs : dict
        LazyArrays and ndarrays among them, in lists and tuples too, are neither evaluated nor changed.
    """
    known = {0: 0, 1: 1}

    def small(shape):
        return tuple([known.setdefault(extent, len(known)) for extent in shape])

    with np.errstate(all="ignore"):
        try:
            function(*_stand_ins(args, small, False), **_stand_ins(kwargs, small, False))
        except Exception:
            function(*_stand_ins(args, tuple, True), **_stand_ins(kwargs, tuple, True))


def _stand_ins(obj, shaped, large):
    """obj with a stand-in for each array in it; large ones take no memory until they are written to."""
    if isinstance(obj, LazyArray | np.ndarray) and not isinstance(obj, np.matrix):
        shape = shaped(obj.shape)
        writeable = obj._writeable if isinstance(obj, LazyArray) else obj.flags.writeable
        if isinstance(obj, LazyArray) and obj._scalar:
            return np.ones((), obj.dtype)[()]
        if large and not writeable:
            return np.broadcast_to(np.ones((), obj.dtype), shape)
        array = (np.empty if large and not obj.dtype.hasobject else np.ones)(shape, obj.dtype)
        array.flags.writeable = writeable
        return array
    kind = type(obj)
    if kind is list or kind is tuple:
        return kind([_stand_ins(item, shaped, large) for item in obj])
    if kind is dict:
        return {key: _stand_ins(item, shaped, large) for key, item in obj.items()}
    return obj
