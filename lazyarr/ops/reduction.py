"""Reductions: folding a ufunc over axes.

All reductions call `reduce`, which resolves axes, dtype, mask and initial value and passes a plain fold to the core.
"""
import builtins
import functools
import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.forms import lower
from lazyarr.ops.numpy_fallback import at_once, call, deliver, has_form
from lazyarr.ops.operands import (
    LazyArray,
    as_arrays,
    cast,
    dtype_from,
    dummy,
    is_lazy,
    joint_shape,
    lazy,
    native,
    probe,
    value,
    values,
)
from lazyarr.ops.rehearsal import rehearse
from lazyarr.ops.table import reduction_row
from lazyarr.ops.ufunc_rows import has_trait

NoValue = np._NoValue
_ALL_AXES = tuple(tuple(range(ndim)) for ndim in range(65))
_BOOL = np.dtype(bool)
_INTP = np.dtype(np.intp)
# (ufunc, dtype, requested dtype) -> dtype of the fold, where the core can fold over any axes
_plain_folds = {}


def reduced_axes(ufunc, axis, x, function=None):
    """Return the reduced axes as a sorted tuple of non-negative ints; raise as `function` or `ufunc.reduce` does."""
    ndim = x.ndim
    if axis is None:
        return _ALL_AXES[ndim]
    given = axis if type(axis) is tuple else (axis,)
    try:
        places = [operator.index(item) for item in given if type(item) is not bool]
        axes = {place + ndim if place < 0 else place for place in places}
    except TypeError:
        axes = None
    if axes is None or len(axes) != len(given) or not axes.issubset(_ALL_AXES[ndim]):
        # A scalar has no axis, but NumPy accepts axis 0 and -1 outside a tuple.
        if ndim == 0 and axis is not given and axes in ({0}, {-1}):
            return ()
        (function or ufunc.reduce)(dummy(x), axis=axis)
        raise AssertionError(f"{ufunc.__name__}.reduce accepted axis {axis!r}")
    return tuple(sorted(axes))


def reduced_shape(shape, axes, keepdims):
    """Return the shape after reducing axes."""
    if keepdims:
        return tuple([1 if i in axes else extent for i, extent in enumerate(shape)])
    return tuple([extent for i, extent in enumerate(shape) if i not in axes])


@functools.cache
def loop_dtype(ufunc, dtype, requested, into=None):
    """Return the common dtype of operand, accumulator and result in ufunc.reduce, or None where they differ.

    It is resolved from the `requested` dtype, or else from the operand's and that of the output array, `into`.
    """
    into, options = (into, {}) if requested is None else (None, {"signature": (requested, None, None)})
    resolved = ufunc.resolve_dtypes((into, dtype, None), reduction=True, casting="unsafe", **options)
    return resolved[0] if resolved[0] == resolved[1] == resolved[2] and native(dtype) and native(resolved[0]) else None


@functools.cache
def is_reorderable(ufunc):
    """Return whether a ufunc may fold over several axes at once."""
    try:
        ufunc.reduce(np.ones((1, 1), ufunc.types[0][0]), axis=(0, 1))
    except ValueError:
        return False
    return True


def reduce(ufunc, a, axis=0, dtype=None, out=None, keepdims=False, initial=NoValue, where=True):
    """Compute `ufunc.reduce` lazily.

    Parameters and result are those of `numpy.ufunc.reduce`; `out` may be a LazyArray or an ndarray.
    """
    if out is ...:
        return as_arrays(reduce(ufunc, a, axis, dtype, None, keepdims, initial, where))
    x = lazy(a)
    if type(keepdims) is not bool and keepdims is not NoValue:
        rehearse(ufunc.reduce, (x,), {"axis": axis, "keepdims": keepdims})
    keepdims = flag(keepdims)
    axes = reduced_axes(ufunc, axis, x)
    plain = out is None and initial is NoValue and (where is True or where is NoValue) and \
        (dtype is None or isinstance(dtype, np.dtype))
    if plain:
        folded = _plain_folds.get((ufunc, x.dtype, dtype))
        if folded is not None and axes and x.size:
            return core.reduce(ufunc, x if x.dtype is folded else cast(x, folded), axes, keepdims)
    where = True if where is NoValue else where
    unusual = {name: given for name, given, usual in
               (("out", out, None), ("initial", initial, NoValue), ("where", where, True)) if given is not usual}
    options = {"axis": axes, "dtype": dtype, "keepdims": keepdims, **unusual}
    rehearse(ufunc.reduce, (x,), options)
    if where is not True:
        where = options["where"] = as_mask(where)
    if isinstance(out, tuple):
        out = out[0]
    requested = dtype_from(dtype) if dtype is not None else None
    try:
        folded = loop_dtype(ufunc, x.dtype, requested, None if out is None else out.dtype)
    except (TypeError, ValueError):
        folded = None
    started = initial is not NoValue and initial is not None
    if started and is_lazy(initial) and not vjp.is_history_kept():
        initial = value(initial)
    if folded is None or (started and (not is_reorderable(ufunc) or _counts_first(ufunc, folded, initial))) or \
            hides(out, x) or rounds_into(out, folded):
        return at_once(_numpys(ufunc), x, **options)
    if (x.size == 0 and not started) or (len(axes) > 1 and not is_reorderable(ufunc)):
        # Either raises or has nothing to compute.
        ufunc.reduce(dummy(x), axis=axes, dtype=dtype)
    given, x = x, cast(x, folded)
    if where is not True:
        x = _masked(ufunc, x, axes, initial, where)
        if x is None:
            return at_once(_numpys(ufunc), given, **options)
    result = _fold(ufunc, x, axes, keepdims, given) if is_reorderable(ufunc) else None
    if result is not None and plain:
        _plain_folds[ufunc, given.dtype, dtype] = folded
    if result is None:
        result = lower((ufunc, "reduce", axes, keepdims), functools.partial(ufunc.reduce, axis=axes, keepdims=keepdims),
                       [x], f"{ufunc.__name__}.reduce")
    if started and is_lazy(initial):
        result = core.ufunc(ufunc, (cast(initial, folded), result))
    elif started:
        start = np.zeros((), folded)
        start[()] = initial
        result = core.ufunc(ufunc, (start[()], result)) if x.size else _everywhere(result.shape, start[()], folded, x)
    return deliver(result, out, "unsafe")


def as_mask(where):
    """Return the argument `where` as a mask; NumPy takes the truth value of anything that is not an array."""
    if isinstance(where, LazyArray):
        return cast(where, _BOOL) if where._scalar else where
    if where is True or where is NoValue or isinstance(where, np.ndarray):
        return where
    return np.array(values(where), bool)


def _everywhere(shape, constant, dtype, x, order=None):
    """Return the result of folding no elements of x: a constant."""
    result = core.full(shape, constant, dtype, axes=order, beside=[x])
    return result if shape else core.scalar(result)


def _counts_first(ufunc, dtype, initial):
    """Return whether the result shows that NumPy starts with `initial` instead of the identity.

    That is so for -0.0 in sums and for complex products with infinities.
    """
    if vjp.is_history_kept():
        return False
    if has_trait(ufunc, "sum") and dtype.kind in "fc":
        start = np.asarray(initial)
        return start.dtype.kind in "fc" and bool(np.signbit(start.real).any() | np.signbit(start.imag).any()) and \
            not start.any()
    return has_trait(ufunc, "product") and dtype.kind == "c"


def flag(keepdims):
    """Return `keepdims` as a bool."""
    return keepdims is not NoValue and bool(keepdims)


def _fold(ufunc, x, axes, keepdims, given):
    """Fold x, which is `given` after casting; None where the core has no loop for it."""
    if axes and x.size:
        return core.reduce(ufunc, x, axes, keepdims)
    if not axes:
        result = core.copy(x)
        if x.dtype.kind in "fc" and ufunc.identity is not None:  # 0 + -0.0 is 0
            return core.ufunc(ufunc, (np.array(ufunc.identity, x.dtype)[()], result))
        return result if x.ndim else core.scalar(result)
    order = core.axes_iterated(given)
    if order and not keepdims:
        kept = [axis for axis in range(x.ndim) if axis not in axes]
        order = [kept.index(axis) for axis in order if axis in kept]
    return _everywhere(reduced_shape(x.shape, axes, keepdims), ufunc.identity or 0, x.dtype, x, order)


def _masked(ufunc, x, axes, initial, where):
    """Replace masked elements of x by the neutral element; return None if there is none."""
    mask = lazy(where)
    neutral = ufunc.identity if initial is NoValue or ufunc.identity is not None else initial
    shape = joint_shape(x.shape, mask.shape)
    if mask.dtype != _BOOL or neutral is None or shape is None:
        ufunc.reduce(dummy(x), axis=axes, initial=initial, where=dummy(mask))
    neutral_for_all = ufunc.identity is not None or has_trait(ufunc, "extremum")
    if neutral is None or not neutral_for_all or shape != x.shape:
        return None
    return core.select(mask, x, core.asarray_operand(np.array(neutral, x.dtype)))


@functools.cache
def _numpys(ufunc):
    """Return NumPy's method as a named function."""
    def reduce(x, **options):
        return ufunc.reduce(x, **options)

    reduce.__module__, reduce.__name__ = "numpy", f"{ufunc.__name__}.reduce"
    return reduce


def hides(out, *operands):
    """Return whether elements of `out` share memory, and no operand does: NumPy then writes all elements at once."""
    return isinstance(out, LazyArray) and core.overlaps_itself(out) and not builtins.any(
        np.may_share_memory(x, out, 1) for x in operands if isinstance(x, LazyArray))


def rounds_into(out, folded):
    """Return whether the result shows that NumPy casts each full buffer to `out`: to integers, or from complex numbers.

    Sums of floats in a wider dtype are rounded once, at the end; NumPy also rounds in between, which is less precise.
    """
    return out is not None and not np.can_cast(folded, out.dtype) and not vjp.is_history_kept() and \
        not (folded.kind in "fc" and folded.kind == out.dtype.kind)


def short_road(ufunc):
    """Let the core fold directly if only axes are given; the decorated function handles every other case."""
    return functools.partial(core.Reducer, ufunc)


@reduction_row(np.sum)
@short_road(np.add)
def sum(a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Sum over axes, fused with the operations before it."""
    return reduce(np.add, a, axis, dtype, out, keepdims, initial, where)


@reduction_row(np.prod)
@short_road(np.multiply)
def prod(a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Product over axes, fused with the operations before it."""
    return reduce(np.multiply, a, axis, dtype, out, keepdims, initial, where)


@reduction_row(np.max, np.amax)
@short_road(np.maximum)
def max(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Maximum over axes, fused with the operations before it."""
    return reduce(np.maximum, a, axis, None, out, keepdims, initial, where)


@reduction_row(np.min, np.amin)
@short_road(np.minimum)
def min(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
    """Minimum over axes, fused with the operations before it."""
    return reduce(np.minimum, a, axis, None, out, keepdims, initial, where)


@reduction_row(np.any)
@short_road(np.logical_or)
def any(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Whether any element is true, fused with the operations before it."""
    return reduce(np.logical_or, a, axis, _BOOL, out, keepdims, NoValue, where)


@reduction_row(np.all)
@short_road(np.logical_and)
def all(a, axis=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Whether all elements are true, fused with the operations before it."""
    return reduce(np.logical_and, a, axis, _BOOL, out, keepdims, NoValue, where)


@reduction_row(np.count_nonzero)
def count_nonzero(a, axis=None, *, keepdims=False):
    """Number of non-zero elements: a sum of booleans."""
    x = lazy(a)
    if not native(x.dtype):
        return at_once(np.count_nonzero, x, axis, keepdims=keepdims)
    return reduce(np.add, x if x.dtype == _BOOL else core.copy(x, _BOOL), axis, _INTP, None, keepdims)


@reduction_row(np.ptp)
def ptp(a, axis=None, out=None, keepdims=NoValue):
    """Maximum minus minimum, both in one pass."""
    x = lazy(a)
    largest = max(x, axis, out, keepdims)  # in the dtype of `out`, if given
    return core.ufunc(np.subtract, (largest, min(x, axis, None, keepdims)), None if out is None else {"out": out})


def broadcast_layout(x, shape):
    """Return (shape, strides) of x broadcast to a shape; raise NumPy's ValueError if it does not fit."""
    if joint_shape(x.shape, shape) != shape:
        np.broadcast_to(dummy(x), shape)
    missing = len(shape) - x.ndim
    strides = [0 if i < missing or x.shape[i - missing] == 1 else x.strides[i - missing] for i in range(len(shape))]
    return shape, tuple(strides)


def _add_search(function, sentence):
    def search(a, axis=None, out=None, *, keepdims=NoValue):
        x = lazy(a)
        keepdims = flag(keepdims)
        if x.dtype.kind in "OV":
            return at_once(function, x, axis, out, keepdims=keepdims)
        if axis is not None:
            if type(axis) is bool:
                function(probe(x), axis)  # raises
            axis = normalize_axis_index(operator.index(axis), builtins.max(x.ndim, 1))
            axes = (axis,) if x.ndim else ()
        else:
            axes = _ALL_AXES[x.ndim]
        if x.size == 0:
            function(dummy(x), axis)
        shape = reduced_shape(x.shape, axes, keepdims)
        if out is not None and not has_form(out, shape, _INTP):
            return at_once(function, x, axis, out, keepdims=keepdims)
        if native(x.dtype):
            made = core.search(x, axes, keepdims, function is np.argmax) if x.ndim else \
                core.search(x.ravel(), (0,), False, function is np.argmax)
        else:
            made = call(lambda v: function(v, axis, keepdims=keepdims), [x], shape, _INTP, scalar=not shape,
                        name=function.__name__)
        return deliver(made, out)

    return reduction_row(function, sentence=sentence)(search)


argmax = _add_search(np.argmax, "Index of the maximum: NumPy's search, fused with the operations before it.")
argmin = _add_search(np.argmin, "Index of the minimum: NumPy's search, fused with the operations before it.")
