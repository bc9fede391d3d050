"""Cumulative folds: `ufunc.accumulate`, `np.cumsum` and `np.cumprod`; folds of slices, `ufunc.reduceat`."""
import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr.ops.forms import lower
from lazyarr.ops.numpy_fallback import call, call_changing, deliver, note_immediate
from lazyarr.ops.operands import LazyArray, cast, dtype_from, known_outside, lazy, native, probe
from lazyarr.ops.reduction import loop_dtype, rounds_into
from lazyarr.ops.rehearsal import rehearse
from lazyarr.ops.table import row


def accumulate(ufunc, a, axis=0, dtype=None, out=None):
    """`ufunc.accumulate`: fused for sums and products of usual numbers, NumPy's when evaluated otherwise."""
    return _accumulate(ufunc, lazy(a), axis, dtype, out)


def _accumulate(ufunc, x, axis, dtype, out, whole=None):
    """Implement `accumulate`; x may be the flattened view of a `whole` array, whose elements need not be stored."""
    if out is ...:  # the result is an array in any case
        out = None
    if x.dtype.hasobject:  # objects may raise anything
        note_immediate(f"{ufunc.__name__}.accumulate")
        return call_changing(ufunc.accumulate, (x, axis, dtype), {} if out is None else {"out": out}, ("out",))
    key = ufunc, x.dtype, dtype
    usual = out is None and type(axis) is int and -x.ndim <= axis < x.ndim and type(dtype) in _DTYPES
    found = _accumulated.get(key) if usual else None
    if found is None:
        found = _accumulated_dtype(ufunc, x, axis, dtype, out)
        if usual:
            _accumulated[key] = found
        target = out[0] if isinstance(out, tuple) else out
        if rounds_into(target, found):
            note_immediate(f"{ufunc.__name__}.accumulate")
            return call_changing(ufunc.accumulate, (x, axis, dtype), {"out": target}, ("out",))
    if isinstance(axis, tuple):
        axis = axis[0]
    axis = 0 if axis is None else normalize_axis_index(operator.index(axis), x.ndim)
    axes = core.axes_iterated(x)
    result = None
    if ufunc in (np.add, np.multiply) and native(found) and np.can_cast(x.dtype, found):
        product = ufunc is np.multiply
        result = core.scan(cast(x, found), axis, product, axes) if whole is None else \
            core.scan(cast(whole, found), None, product)
    if result is None:
        requested = found if native(found) else dtype  # NumPy accepts no unit of time
        result = call(functools.partial(ufunc.accumulate, axis=axis, dtype=requested), [x], x.shape, found,
                      name=f"{ufunc.__name__}.accumulate", axes=axes)
    return deliver(result, out, "unsafe")


_DTYPES = frozenset({type(None), type, *map(type, map(np.dtype, "?bhilqefdgFDG"))})
_accumulated = {}  # (ufunc, dtype, requested dtype) -> result dtype, of valid calls


def _accumulated_dtype(ufunc, x, axis, dtype, out):
    """Return the dtype in which a ufunc accumulates; raise NumPy's errors for the call's dtypes and axes."""
    rehearse(ufunc.accumulate, (x, axis, dtype), {} if out is None else {"out": out})
    if isinstance(out, tuple):
        out = out[0]
    requested = dtype_from(dtype) if dtype is not None else None
    axis = axis[0] if isinstance(axis, tuple) else axis
    try:
        if out is not None and requested is None:
            return loop_dtype(ufunc, x.dtype, None, out.dtype) or out.dtype
    except TypeError:  # no loop for the dtype of `out`, which the result is cast to
        pass
    return ufunc.accumulate(probe(x), axis, requested).dtype


def plain_dtype(dtype):
    """Return a dtype in native byte order, for functions that identify types by number."""
    return dtype if dtype is None or isinstance(dtype, type) else dtype_from(dtype).newbyteorder("=")


def reduceat(ufunc, a, indices, axis=0, dtype=None, out=None):
    """`ufunc.reduceat`, by NumPy when evaluated."""
    x, name = lazy(a), f"{ufunc.__name__}.reduceat"
    index = lazy(indices)
    usual = out is None and native(x.dtype) and type(axis) is int and -x.ndim <= axis < x.ndim
    if not usual or index.ndim != 1 or index.dtype.kind not in "iu" or known_outside(index, 0, x.shape[axis]):
        note_immediate(name)
        target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
        if isinstance(target, LazyArray) and not target._writeable:
            raise ValueError("output array is read-only")
        return call_changing(ufunc.reduceat, (x, indices, axis, dtype), {} if out is None else {"out": out}, ("out",))
    dtype = None if dtype is None else dtype_from(dtype)
    function = functools.partial(ufunc.reduceat, axis=axis, dtype=dtype)
    return lower((ufunc, "reduceat", axis, dtype), function, [x, index], name)


def _add_running(function, ufunc, what):
    def cumulate(a, axis=None, dtype=None, out=None):
        x, dtype = lazy(a), plain_dtype(dtype)
        if isinstance(axis, tuple):  # ufunc.accumulate accepts a tuple of one axis
            operator.index(axis)
        if x.ndim == 0:
            axis = normalize_axis_index(axis or 0, 1)
            x = x.reshape(1)
        if axis is None:
            return _accumulate(ufunc, x.ravel(), 0, dtype, out, x)
        return _accumulate(ufunc, x, axis, dtype, out)

    return row(function, sentence=f"Cumulative {what}, fused with the operations before it.")(cumulate)


cumsum, cumprod = _add_running(np.cumsum, np.add, "sum"), _add_running(np.cumprod, np.multiply, "product")
