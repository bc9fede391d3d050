"""Elementwise operations other than ufuncs (for these, see `ufunc_rows`)."""
import functools
import math
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.compat import OBJECTS_HAVE_PARTS
from lazyarr.ops.creation import zeros_like
from lazyarr.ops.devices import is_device
from lazyarr.ops.forms import lower
from lazyarr.ops.layout import is_contiguous, order_of
from lazyarr.ops.numpy_fallback import at_once, deliver, has_form, immediate_method, reject
from lazyarr.ops.opaque_rows import opaque_row
from lazyarr.ops.operands import (
    LazyArray,
    cast,
    check_cast,
    dtype_from,
    joint_shape,
    lazy,
    native,
    on_accelerator,
    order_letter,
    weak_or_lazy,
    wrap,
)
from lazyarr.ops.table import row

_clip_ufunc = np._core.umath.clip  # type: ignore[attr-defined]  # private, and what NumPy's own clip calls
_WEAK = (int, float, complex)
_BOOL = np.dtype(bool)
_promotions = {}  # (dtypes and Python scalar types) -> result type


def promote(*operands):
    """Return NumPy's result type of LazyArrays and weak Python scalars."""
    # aliases of a dtype, such as int64, are equal
    key = tuple([type(obj) if type(obj) in _WEAK else (obj.dtype, obj.dtype.char) for obj in operands])
    found = _promotions.get(key)
    if found is None:
        found = _promotions[key] = np.result_type(*[obj if type(obj) in _WEAK else obj.dtype for obj in operands])
    return found


def number_or_lazy(obj):
    """Return weak Python numbers and NumPy scalars unchanged, anything else as a LazyArray."""
    if type(obj) is bool:
        return np.bool_(obj)
    return obj if isinstance(obj, np.generic) else weak_or_lazy(obj)


def as_dtype(obj, dtype):
    """Cast a LazyArray without checks; a number becomes a NumPy scalar."""
    return cast(obj, dtype) if isinstance(obj, LazyArray) else np.asarray(obj).astype(dtype)[()]


@row(np.where)
def where(condition, x=np._NoValue, y=np._NoValue, /):
    """Choose from x and y, fused; with the condition alone, where it holds, at once."""
    if x is np._NoValue:
        return at_once(np.nonzero, condition)
    if y is np._NoValue:
        np.where(True, 0)  # raises
    condition, x, y = lazy(condition), number_or_lazy(x), number_or_lazy(y)
    dtype = promote(x, y)
    if not native(dtype) or not native(condition.dtype):
        return at_once(np.where, condition, x, y)
    shapes = {operand.shape for operand in (condition, x, y) if isinstance(operand, LazyArray)}
    if len(shapes) > 1 and joint_shape(*shapes) is None:  # checked before casts: a Python scalar's may warn
        return reject(np.where, condition, x, y)
    return core.select(cast(condition, _BOOL), _choice(x, dtype), _choice(y, dtype))


def _choice(obj, dtype):
    """Return an operand of `where` as its dtype; NumPy decides whether a Python integer fits."""
    if type(obj) is int and dtype.kind in "iu":
        return np.where(True, obj, np.zeros((), dtype))[()]
    if not isinstance(obj, LazyArray) or obj.dtype == dtype:
        return as_dtype(obj, dtype)
    with np.errstate(all="ignore"):  # NumPy ignores the flags, which a signalling NaN raises
        return cast(obj, dtype)


@row(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    """Values where conditions hold, fused; at once where functions compute them."""
    x = lazy(x)
    conditions = [lazy(condition) for condition in condlist] if isinstance(condlist, list | tuple) else []
    usual = x.ndim > 0 and native(x.dtype) and len(funclist) - len(conditions) in (0, 1) and conditions and \
        all(condition.shape == x.shape and condition.dtype == _BOOL for condition in conditions)
    if not usual or (any(map(callable, funclist)) and not vjp.is_history_kept()):
        return at_once(np.piecewise, x, condlist, funclist, *args, **kw)
    if len(funclist) > len(conditions):
        held = functools.reduce(lambda a, b: core.ufunc(np.logical_or, (a, b)), conditions)
        conditions.append(core.ufunc(np.logical_not, (held,)))
    result = zeros_like(x)
    for condition, chosen in zip(conditions, funclist, strict=True):
        result[condition] = chosen(x[condition], *args, **kw) if callable(chosen) else chosen
    return result


@row(np.clip)
def clip(a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=np._NoValue, max=np._NoValue, **kwargs):
    """Limit the values, fused."""
    if a_min is np._NoValue and a_max is np._NoValue:
        a_min = None if min is np._NoValue else min
        a_max = None if max is np._NoValue else max
    elif a_min is np._NoValue or a_max is np._NoValue or min is not np._NoValue or max is not np._NoValue:
        limits = dict(a_min=a_min, a_max=a_max, min=min, max=max)
        return reject(np.clip, lazy(a), **{name: limit for name, limit in limits.items() if limit is not np._NoValue})
    return clip_method(lazy(a), a_min, a_max, out, **kwargs)


def clip_method(a, min=None, max=None, out=None, **kwargs):
    """Limit the values to [min, max], where either may be None."""
    if a.dtype.kind in "iu":
        # A Python int beyond the dtype's range limits nothing; as an operand it would overflow.
        info = np.iinfo(a.dtype)
        if type(min) is int and min <= info.min:
            min = None
        if type(max) is int and max >= info.max:
            max = None
    if out is not None:
        kwargs["out"] = out
    if min is None:
        ufunc, args = (np.positive, (a,)) if max is None else (np.minimum, (a, max))
    else:
        ufunc, args = (np.maximum, (a, min)) if max is None else (_clip_ufunc, (a, min, max))
    return core.ufunc(ufunc, args, kwargs)


@row(np.round, np.around)
def round(a, decimals=0, out=None):
    """Round half to even, fused."""
    a = lazy(a)
    decimals = operator.index(decimals)
    if out is not None and a.dtype.kind in "fiu" and has_form(out, a.shape, a.dtype):
        return deliver(round(a, decimals), out)
    if out is not None or a.dtype.kind not in "biufc":
        return at_once(np.round, a, decimals, out)
    if a.dtype.kind == "c" and on_accelerator(a):
        made = core.empty(a.shape, a.dtype, beside=[a])
        made.real, made.imag = round(a.real, decimals), round(a.imag, decimals)
        return made if a.ndim else core.scalar(made)
    if a.dtype.kind in "bc":
        return lower(("round", decimals), lambda x: np.round(x, decimals), [a], "round")
    if decimals >= 0 and a.dtype.kind in "iu":
        return core.copy(a) if a.ndim else core.scalar(core.copy(a))
    if decimals == 0:
        return core.ufunc(np.rint, (a,))
    # NumPy's own algorithm, in the array's precision: scale, round, scale back.
    scale, unscale = (np.multiply, np.true_divide) if decimals > 0 else (np.true_divide, np.multiply)
    factor = math.prod([10.0] * abs(decimals))  # rounded at each step, as NumPy's is
    rounded = core.ufunc(np.rint, (core.ufunc(scale, (a, factor)),))
    result = core.ufunc(unscale, (rounded, factor))
    if not is_contiguous(a) and not is_contiguous(a, "F"):
        return core.copy(result, a.dtype, order="C")  # NumPy does it in place in such an array
    return cast(result, a.dtype)


_astype_at_once = immediate_method("astype")


def astype_method(x, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """Cast x to dtype, fused."""
    dtype = dtype_from(dtype)
    if casting == "same_value":  # the error names a value that would change
        return _astype_at_once(x, dtype, order=order, casting=casting, subok=subok, copy=copy)
    check_cast(x.dtype, dtype, casting)
    order = order_letter(order) or "K"
    if dtype == x.dtype and not copy:
        return x
    if not native(dtype) or not native(x.dtype):
        return _astype_at_once(x, dtype, order=order, casting=casting, subok=subok, copy=copy)
    result = core.copy(x, dtype, order=order)
    return core.scalar(result) if x._scalar else result


@row(np.astype)
def astype(x, dtype, /, *, copy=True, device=None):
    """Cast to a dtype, fused."""
    if not (device is None or is_device(device)) or isinstance(x, list | tuple):
        return reject(np.astype, x, dtype, copy=copy, device=device)
    made = astype_method(lazy(x), dtype, copy=copy)
    return made if device is None else core.to_device(made, device)


def _part(x, offset):
    """Return a view of the real (offset 0) or imaginary parts of a complex array."""
    part = np.dtype(f"f{x.dtype.itemsize // 2}").newbyteorder(x.dtype.byteorder)
    result = core.view(x, x.shape, x.strides, offset, part)
    return core.scalar(core.copy(result)) if x._scalar else result


def _part_of_objects(function, x):
    """Return the real or imaginary parts of an array of objects."""
    made = wrap(function(x.numpy()))
    made._writeable = False
    return made


def real_part(x):
    """Return x.real: a view of complex arrays, the array itself otherwise."""
    if OBJECTS_HAVE_PARTS and x.dtype.hasobject:
        return _part_of_objects(np.real, x)
    return _part(x, 0) if x.dtype.kind == "c" else x


def real_value(x):
    """Return the real part of a complex array as a separate value, without storing a pending array."""
    return core.copy(x, f"f{x.dtype.itemsize // 2}", order=None, discards=True)


def imag_part(x):
    """Return x.imag: a view of complex arrays, read-only zeros otherwise."""
    if x.dtype.kind == "c":
        return _part(x, x.dtype.itemsize // 2)
    if OBJECTS_HAVE_PARTS and x.dtype.hasobject:
        return _part_of_objects(np.imag, x)
    zero = 0 if x.dtype.kind not in "SUV" else np.zeros((), x.dtype)
    zeros = core.full(x.shape, zero, x.dtype, order_of(x), beside=[x])
    if x._scalar:
        return core.scalar(zeros)
    zeros._writeable = False
    return zeros


opaque_row(np.i0, 1, "Modified Bessel function of order 0, by NumPy when evaluated.")
