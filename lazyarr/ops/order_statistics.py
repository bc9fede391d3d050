"""Order statistics: medians and quantiles.

On accelerators they are elements of sorted lines, combined by NumPy's steps; elsewhere opaque nodes of NumPy.
"""
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from lazyarr._core import api as core
from lazyarr._core.control.subgraph import reads_traced
from lazyarr._core.transforms import vjp
from lazyarr.ops.forms import infer_form
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.moments import mean
from lazyarr.ops.numpy_fallback import at_once, call, deliver, has_form
from lazyarr.ops.operands import find_lazy, lazy, native, on_accelerator, values
from lazyarr.ops.reduction import NoValue, reduced_shape
from lazyarr.ops.sorting import sort
from lazyarr.ops.table import OPAQUE, row

_numpys: Any = np.lib._function_base_impl
# If q has several axes, these have its first axis first in the result, the others last.
_LEVELS_LAST = frozenset({np.nanquantile, np.nanpercentile})


# ---- from sorted lines ---------------------------------------------------------------------------------


def _lines(x, axes):
    """Return an array with lines of the elements along some (or all) axes of x; and their axis."""
    if axes is None:
        x, axis = reshape_array(x, (-1,)), 0
    elif len(axes) == 1:
        axis, = axes
    else:
        kept = [axis for axis in range(x.ndim) if axis not in axes]
        x = np.transpose(x, [*kept, *sorted(axes)])
        x, axis = reshape_array(x, (*x.shape[: len(kept)], -1)), len(kept)
    return x, axis


def _with_nans(result, lines, axis):
    """Return the result with NaN for each line that has one, which is last."""
    if lines.dtype.kind != "f":
        return result
    last = lines[(slice(None),) * axis + (-1,)]
    return core.select(core.ufunc(np.isnan, (last,)), last, result)


def _median(x, axes, keepdims):
    lines, axis = _lines(x, axes)
    lines, extent = sort(lines, axis), lines.shape[axis]
    middle = slice((extent - 1) // 2, extent // 2 + 1)
    result = _with_nans(mean(lines[(slice(None),) * axis + (middle,)], axis), lines, axis)
    return _reshaped(result, x, axes, keepdims)


def _quantile(x, axes, keepdims, q, method):
    is_weak, levels = type(q) in (int, float), np.asarray(q)
    lines, axis = _lines(x, axes)
    lines = lines if core.is_contiguous(lines) else core.copy(lines, order="C")
    lines, rule = sort(lines, axis), _numpys._QuantileMethods[method]
    lines = np.moveaxis(lines, axis, 0)
    places = np.asarray(rule["get_virtual_index"](len(lines), levels))
    if rule["fix_gamma"] is None or (method == "linear" and places.dtype.kind in "iu"):
        result = lines[places]
    else:
        before, behind = _numpys._get_indexes(lines, places, len(lines))
        weight = _numpys._get_gamma(places, before, rule)
        weight = float(weight) if is_weak else weight.reshape(places.shape + (1,) * (lines.ndim - 1))
        before, behind = lines[before], lines[behind]
        if x.dtype.kind == "u" or (x.dtype.kind == "i" and x.dtype.itemsize > 2):  # checked arithmetic
            before, behind = core.unscalar(before), core.unscalar(behind)
        result = _between(before, behind, weight)
    return _reshaped(_with_nans(result, lines, 0), x, axes, keepdims, levels.shape)


def _between(a, b, weight):
    """Interpolate between elements of two arrays, from the nearer one, by the steps of NumPy's `_lerp`."""
    difference = b - a
    result = core.unscalar(a + difference * weight)
    np.subtract(b, difference * (1 - weight), out=result, where=weight >= 0.5, casting="unsafe", dtype=result.dtype)
    return result


def _percentile(x, axes, keepdims, q, method):
    levels = np.true_divide(q, 100, out=...)
    return _quantile(x, axes, keepdims, float(levels) if type(q) in (int, float) else levels, method)


def _reshaped(result, x, axes, keepdims, levels=()):
    """Return the result with axes of length 1 if `keepdims`."""
    axes = range(x.ndim) if axes is None else axes
    return reshape_array(result, (*levels, *reduced_shape(x.shape, tuple(axes), True))) if keepdims else result


_BY_SORTING = {np.median: _median, np.quantile: _quantile, np.percentile: _percentile}


# ---- functions -----------------------------------------------------------------------------------------


def _levels(q):
    """Return the requested quantiles; Python scalars stay weak in promotion."""
    return q if type(q) in (int, float) else np.asarray(values(q))


def _order_statistic(function, a, axis, out, keepdims, *levels, weights=None, **options):
    """Return a median or quantile: `a` loses its axes, and the shape of q, if any, comes first."""
    x, has_weights = lazy(a), weights is not None
    unknown = bool(find_lazy(levels)) and reads_traced(find_lazy(levels))  # any levels suffice to find the form
    levels = tuple(map(lazy, levels)) if unknown else levels
    q = tuple([np.full(x.shape, 0.5, x.dtype) for x in levels]) if unknown else tuple(map(_levels, levels))
    given = [lazy(weights)] if has_weights else []

    def by_numpy():
        return at_once(function, x, *(levels if unknown else q), axis=axis, out=out, keepdims=keepdims, **options,
                       **({"weights": given[0]} if has_weights else {}))

    odd = function in _LEVELS_LAST and np.ndim(q[0]) > 1
    if odd or x.size == 0 or not native(x.dtype) or (x.ndim == 0 and axis is not None):
        return by_numpy()
    kept = keepdims is not NoValue and bool(keepdims)

    def statistic(v, *others):
        weighted = {"weights": others[0]} if has_weights else {}
        return function(v, *(others[-1:] if unknown else q), axis=axis, keepdims=kept, **options, **weighted)

    statistic.keywords = {"q": q[0] if q else 0.5, "axis": axis, "keepdims": kept, **options}
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)
    key = function, str(axis), kept, options.get("method"), unknown, *[
        (v.dtype, v.shape, *v.ravel().tolist()) if isinstance(v, np.ndarray) else (type(v), v) for v in q]
    form = infer_form(key, lambda v, *weights: statistic(v, *map(np.ones_like, weights), *q), [x, *given])
    shape = (np.shape(q[0]) if q else ()) + reduced_shape(x.shape, axes, kept)
    if out is not None and not has_form(out, shape, form.dtype):
        return by_numpy()
    if unknown or (vjp.is_history_kept() and find_lazy(levels)):  # it has a derivative by q, too
        given.append(lazy(*levels))
        statistic.keywords["q"] = None
    if not given and on_accelerator(x) and x.dtype.kind in "biuf" and function in _BY_SORTING \
            and not vjp.is_history_kept():
        made = _BY_SORTING[function](x, axes if axis is not None else None, kept, *q, **options)
        if made.dtype == form.dtype:
            return deliver(core.scalar(made) if not shape else made, out)
    if not given:
        statistic.batch = lambda call, operands, batched, size: np.moveaxis(
            _order_statistic(function, *operands, tuple([axis + 1 for axis in axes]), None, keepdims, *q, **options),
            np.ndim(q[0]) if q else 0, 0)
    return deliver(call(statistic, [x, *given], shape, form.dtype, scalar=not shape, name=function.__name__,
                        axes=form.axes), out)


def _add_median(function, default):
    def median(a, axis=None, out=None, overwrite_input=False, keepdims=default):
        """Median, by NumPy when evaluated."""
        bool(overwrite_input)  # unused, but NumPy evaluates its truth
        if isinstance(out, tuple):
            function(np.ones(1), out=(np.ones(()),))  # raises
        return _order_statistic(function, a, axis, out, keepdims)

    row(function, kind=OPAQUE)(median)


def _add_quantile(function, default):
    def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=default, *,
                 weights=None):
        """Quantiles, by NumPy when evaluated."""
        bool(overwrite_input)  # as above
        # NumPy may reject weights, also because of infinite elements: if known, on this line
        if weights is not None and not vjp.is_history_kept() \
                and not any(map(core.is_pending, find_lazy([a, q, weights]))):
            given = {} if keepdims is NoValue else {"keepdims": keepdims}
            return at_once(function, a, q, axis, out, method=method, weights=weights, **given)
        return _order_statistic(function, a, axis, out, keepdims, q, method=method, weights=weights)

    row(function, kind=OPAQUE)(quantile)


_add_median(np.median, False)
_add_median(np.nanmedian, NoValue)
for _function in (np.quantile, np.percentile):
    _add_quantile(_function, False)
for _function in (np.nanquantile, np.nanpercentile):
    _add_quantile(_function, NoValue)
