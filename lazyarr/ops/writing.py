"""Functions that change their first argument: copyto, put, place, putmask, fill_diagonal, and `ufunc.at`.

The elements they change are known at the call, so the writes stay pending, like an assignment through an index array
(`change`).
"""
import functools
import operator
import warnings

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.compat import AT_WRITES_THROUGH_VIEWS
from lazyarr.ops.assignment import assign, broadcasts_to, change, chosen, cleared
from lazyarr.ops.forms import infer_form
from lazyarr.ops.index_key import MODES, Key, constant_for
from lazyarr.ops.layout import broadcast_layout, is_contiguous
from lazyarr.ops.numpy_fallback import call_changing, immediate, note_immediate
from lazyarr.ops.operands import (
    LazyArray,
    cast,
    check_cast,
    dummy,
    elements,
    find_lazy,
    gathered,
    is_lazy,
    joint_shape,
    known_outside,
    native,
    on_accelerator,
    values,
    values_for,
)
from lazyarr.ops.reduction import as_mask
from lazyarr.ops.scattering import along_axis, through_key, to_positions
from lazyarr.ops.shares_memory import same_place, unwarned
from lazyarr.ops.table import OPAQUE, row
from lazyarr.ops.writing_there import (
    fill_diagonal_there,
    is_written_there,
    place_there,
    put_along_axis_there,
    put_there,
    putmask_there,
)

_BOOL = np.dtype(bool)
_INTP = np.dtype(np.intp)
NoValue = np._NoValue


@row(np.copyto)
def copyto(dst, src, casting="same_kind", where=True):
    """Copy with broadcasting, under a mask if one is given; lazily."""
    if not is_lazy(dst) or dst._scalar:
        np.copyto(values(dst), values(src), casting, values(where))
        return
    if is_lazy(src) and same_place(src, dst):
        return  # NumPy does not look at the mask then
    if type(src) is int:  # an int too large for dst raises before dst is read
        np.copyto(np.empty((), dst.dtype), src, "unsafe")
    if not native(dst.dtype) or (where is not True and core.overlaps_itself(dst)):
        immediate(np.copyto, "dst")(dst, src, casting, where)
        return
    mask = None if where is True else elements(as_mask(where))
    if mask is not None and mask.dtype != _BOOL:
        np.copyto(np.empty(dst.shape), 0, where=dummy(mask))
    if isinstance(src, LazyArray | np.ndarray | list | tuple):
        value = elements(src)
        _require_writeable(dst)
        check_cast(value.dtype, dst.dtype, casting)
        if (not value.ndim and dst.size != 1) or not native(value.dtype):  # NumPy casts one value even if unused
            value = cast(value, dst.dtype)
    else:
        converted = np.zeros((), dst.dtype)
        _require_writeable(dst)
        np.copyto(converted, src, casting)
        value = core.asarray_operand(converted)
    if not broadcasts_to(value.shape, dst.shape):
        np.copyto(np.empty(dst.shape, dst.dtype), dummy(value), casting)
    if mask is None:
        core.assign(dst, value)
        return
    if not broadcasts_to(mask.shape, dst.shape):
        np.copyto(np.empty(dst.shape, dst.dtype), dummy(value), casting, dummy(mask))
    core.assign(dst, chosen(core.view(mask, *broadcast_layout(mask, dst.shape)), value, dst))


def _require_writeable(x):
    core.require_writeable(x, "assignment destination is read-only")


def fill(x, value):
    """Set every element, lazily."""
    if x._scalar:
        return  # NumPy fills a copy
    _require_writeable(x)
    if vjp.is_history_kept() and is_lazy(value) and native(x.dtype) and value.size == 1:
        core.assign(x, cast(value, x.dtype).reshape(()))
        return
    converted = np.zeros((), x.dtype)
    converted.fill(values_for(x.dtype, value))
    made = core.asarray_operand(converted)
    vjp.connect(made, find_lazy([value]), "fill")
    core.assign(x, made)


def _as_given(obj, dtype):
    """Return a LazyArray; convert other objects as NumPy does for an array of this dtype."""
    return elements(obj) if isinstance(obj, LazyArray | np.ndarray | np.generic) else \
        cast(gathered(obj), dtype) if find_lazy([obj]) else core.from_numpy(np.asarray(obj, dtype))


def _value_given(obj, dtype):
    """Convert as `_as_given` does, but also cast scalars, unless complex."""
    if isinstance(obj, LazyArray) and obj._scalar and native(obj.dtype) and obj.dtype.kind != "c":
        return cast(obj, dtype)
    return core.from_numpy(np.asarray(obj, dtype)) if isinstance(obj, np.generic) else _as_given(obj, dtype)


def _change(function, a, operands, value, *constants, scatters=None, has_mask=False, there=None):
    """Call `function(a, *operands, *constants)` lazily, after NumPy has checked it on stand-ins.

    It moves elements of operand number `value` to a; if `has_mask`, to wherever operand 0 is true. `scatters(write)`
    returns a native write or None, and `there` is the implementation for devices.
    """
    def try_out(array, *others):
        function(np.zeros(array.shape, array.dtype), *others)

    infer_form(function, try_out, [a, *operands, *constants])
    if there is not None and is_written_there(a, operands[value]):
        there(a, *operands, *constants)
        return
    if has_mask and operands[0].shape == a.shape and operands[value].size:
        operands[value] = cleared(a, cast(operands[0], _BOOL), operands[value])

    def write(array, *arrays):
        function(array, *arrays, *constants)

    assign(function.__name__, a, write, operands, value, scatters and scatters(write))


def _is_changeable(a):
    return is_lazy(a) and native(a.dtype) and not a._scalar and a._writeable


@row(np.put)
def put(a, ind, v, mode="raise"):
    """Set elements by their positions in the flattened array; a few, or values that are repeated, by NumPy."""
    if not _is_changeable(a):
        immediate(np.put, "a")(a, ind, v, mode)
        return
    index, value = _as_given(ind, _INTP), _as_given(v, a.dtype)
    if not native(value.dtype) and value.dtype != a.dtype:  # NumPy converts all values, used or not
        value = core.from_numpy(np.asarray(value).astype(a.dtype))
    if mode == "raise" and known_outside(index, -a.size, a.size):
        immediate(np.put, "a")(a, index, value)  # raises, after setting the preceding elements
    if on_accelerator(a) and mode in MODES and np.can_cast(index.dtype, _INTP, "safe") and native(index.dtype):
        if not value.size:
            return
        if is_written_there(a, value):
            put_there(a, index, value, mode)
            return
    _change(np.put, a, [index, value], 1, mode, scatters=lambda by_numpy: to_positions(
        a, index, value, MODES[mode], by_numpy) if mode in MODES else None)


@row(np.put_along_axis)
def put_along_axis(arr, indices, values, axis=-1):
    """Set elements of each line at indices of their own."""
    by_numpy = immediate(np.put_along_axis, "arr")
    if not _is_changeable(arr) or not isinstance(indices, LazyArray | np.ndarray) or axis is None \
            or indices.ndim != arr.ndim or indices.dtype.kind not in "iu":
        by_numpy(arr, indices, values, axis)
        return
    axis = normalize_axis_index(operator.index(axis), arr.ndim)
    index, value = elements(indices), _as_given(values, arr.dtype)
    joined = joint_shape((*arr.shape[:axis], 1, *arr.shape[axis + 1:]), index.shape)
    if joined is None or not broadcasts_to(value.shape, joined) or not native(value.dtype) \
            or (value.dtype.kind == "c" and arr.dtype.kind != "c") \
            or known_outside(index, -arr.shape[axis], arr.shape[axis]):
        by_numpy(arr, index, value, axis)  # raises, or warns at this line
        return

    if is_written_there(arr, value) and index.size:
        put_along_axis_there(arr, index, value, axis)
        return

    def write(array, index, value):
        np.put_along_axis(array, index, value, axis)

    assign("put_along_axis", arr, write, [index, value], 1, along_axis(arr, index, joined, axis, write))


@row(np.place, kind=OPAQUE)
def place(arr, mask, vals):
    """Set the elements where a mask holds to a sequence of values, by NumPy when evaluated."""
    if is_lazy(arr) and is_contiguous(arr):
        arr = unwarned(arr)
    if not _is_changeable(arr):
        immediate(np.place, "arr")(arr, mask, vals)
        return
    _change(np.place, arr, [elements(mask), _value_given(vals, arr.dtype)], 1, has_mask=True, there=place_there)


@row(np.putmask, kind=OPAQUE)
def putmask(a, /, mask, values):
    """Set elements under a mask: fused where one value fills them, else by NumPy when evaluated."""
    if not _is_changeable(a):
        immediate(np.putmask, "a")(a, mask, values)
    elif not is_lazy(values) and np.ndim(values) == 0 and np.shape(mask) == a.shape:
        converted = np.zeros(1, a.dtype)
        np.putmask(converted, True, values)  # raises if it does not convert
        copyto(a, converted[0], "unsafe", cast(elements(mask), _BOOL))
    else:
        mask, value = elements(mask), _value_given(values, a.dtype)
        if value.shape == mask.shape == a.shape and value.dtype == a.dtype:
            copyto(a, value, where=cast(mask, _BOOL))
            return
        _change(np.putmask, a, [mask, value], 1, has_mask=True, there=putmask_there)


@row(np.fill_diagonal, kind=OPAQUE)
def fill_diagonal(a, val, wrap=False):
    """Set the diagonal: through a view where one number fills that of a matrix, else by NumPy when evaluated."""
    if not _is_changeable(a):
        immediate(np.fill_diagonal, "a")(a, val, wrap)
    elif a.ndim == 2 and not wrap and np.ndim(val) == 0 and not is_lazy(val):
        core.require_writeable(a, "underlying array is read-only")
        extent = min(a.shape)
        core.assign(core.view(a, (extent,), (sum(a.strides),)), constant_for(val, a.dtype))
    else:
        is_view = not wrap or is_contiguous(a)
        _change(np.fill_diagonal, a, [_as_given(val, a.dtype)], 0, bool(wrap),
                there=fill_diagonal_there if is_view else None)


def ufunc_at(ufunc, a, indices, b=NoValue, /):
    """Apply `ufunc.at`: in place at indices, including repeated ones."""
    if AT_WRITES_THROUGH_VIEWS and is_lazy(a) and a._warns_on_write:  # warns at each call
        a = core.view(a, a.shape, a.strides)
    name, operands = f"{ufunc.__name__}.at", [] if b is NoValue else [elements(b)]
    if is_lazy(a) and not a._writeable:
        ufunc.at(values(a) if a._scalar else dummy(a), *values((indices, *operands)))  # raises
    key = _fitting_key(a, indices, operands) if _is_changeable(a) and all(native(x.dtype) for x in operands) else None
    if key is None:
        note_immediate(name)
        call_changing(ufunc.at, (a, indices, *operands), {}, (0,))
        return
    _require_conversion(ufunc, a.dtype, *[x.dtype for x in operands])
    fill, count = key.template(), len(operands)
    shape = () if key.masks else key.shape(a.shape)

    def write(array, *arrays):
        # NumPy reads past a line that it broadcasts to indices of more axes, so broadcast it beforehand.
        given = [np.broadcast_to(x, shape) if x.ndim == 1 < len(shape) else x for x in arrays[:count]]
        ufunc.at(array, fill(arrays[count:]), *given)

    scatters = None
    if count and not key.masks and operands[0].ndim <= len(key.shape(a.shape)) \
            and _keeps_dtype(ufunc, a.dtype, operands[0].dtype):
        scatters = through_key(a, key, write, ufunc)
    change(name, a, scatters or write, [*operands, *key.arrays], scatters is not None, fill=fill)


@functools.lru_cache(1000)
def _require_conversion(ufunc, *dtypes):
    """Raise NumPy's error if `ufunc.at` cannot convert these dtypes."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array, *operands = [np.ones(1, dtype) for dtype in dtypes]
        ufunc.at(array, [0], *operands)


@functools.lru_cache(1000)
def _keeps_dtype(ufunc, a, b):
    """Return whether the ufunc computes in the dtype of the first operand."""
    try:
        return ufunc.resolve_dtypes((a, b, None)) == (a,) * 3
    except TypeError:
        return False


def _fitting_key(a, indices, operands):
    """Return the indices as a key, or None unless the key fits a and the operands fit the key."""
    try:
        key = Key(a, indices, at_once=not any(core.is_pending(x) for x in (a, *operands)))
    except IndexError:  # NumPy may have another error to raise first
        return None
    fits = key.fits and (key.masks or all(broadcasts_to(x.shape, key.shape(a.shape)) for x in operands))
    return key if fits else None
