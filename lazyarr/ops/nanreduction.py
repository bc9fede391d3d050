"""NaN-skipping reductions: NaNs replaced by a neutral value, then a plain reduction.

The steps are those of NumPy's `lib/_nanfunctions_impl.py`. Where NumPy reads the result to warn, the warning is delayed
until the result is evaluated.
"""
import operator

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.accumulation import cumprod as plain_cumprod
from lazyarr.ops.accumulation import cumsum as plain_cumsum
from lazyarr.ops.elementwise import real_value
from lazyarr.ops.forms import lower
from lazyarr.ops.moments import check_out, corrected, divide_by_count, root, warn_where
from lazyarr.ops.moments import mean as plain_mean
from lazyarr.ops.moments import var as plain_var
from lazyarr.ops.numpy_fallback import at_once, call, deliver, has_form
from lazyarr.ops.operands import Foreign, cast, is_lazy, lazy, native
from lazyarr.ops.reduction import NoValue, argmax, argmin, flag, reduce, reduced_axes
from lazyarr.ops.reduction import all as plain_all
from lazyarr.ops.reduction import prod as plain_prod
from lazyarr.ops.reduction import sum as plain_sum
from lazyarr.ops.table import reduction_row
from lazyarr.ops.vmap_helpers import checked

_INTP = np.dtype(np.intp)


def _constant(value, dtype):
    return core.asarray_operand(np.array(value, dtype))


def _with_nans(a):
    """Return `a` as in NumPy's steps before NaNs are replaced."""
    x = lazy(a)
    if x.dtype.hasobject:
        raise Foreign  # NumPy compares single objects
    if x.dtype.kind not in "fc":
        return x
    x = cast(x, x.dtype.newbyteorder("="))
    # For elements that share memory, NumPy's copy has another layout than its source.
    return core.copy(x) if 0 in x.strides else x


def replace_nan(a, value):
    """Return (a with NaNs replaced, the mask of the NaNs); the mask is None if the dtype has no NaN."""
    x = _with_nans(a)
    if x.dtype.kind not in "fc":
        return x, None
    mask = core.ufunc(np.isnan, (x,))
    return core.select(mask, _constant(value, x.dtype), x), mask


def _add_without_nan(function, running_function, plain, running, neutral, what):
    """Register a reduction and a cumulative one with a neutral value in place of NaNs."""
    def fold(a, axis=None, dtype=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
        return plain(replace_nan(a, neutral)[0], axis, dtype, out, keepdims, initial, where)

    def cumulate(a, axis=None, dtype=None, out=None):
        return running(replace_nan(a, neutral)[0], axis, dtype, out)

    reduction_row(function, sentence=f"The {what}, fused.")(fold)
    reduction_row(running_function, sentence=f"The cumulative {what}, on all threads.")(cumulate)


_add_without_nan(np.nansum, np.nancumsum, plain_sum, plain_cumsum, 0, "sum with NaNs as zeros")
_add_without_nan(np.nanprod, np.nancumprod, plain_prod, plain_cumprod, 1, "product with NaNs as ones")


def _add_extremum(function, ufunc, sentence):
    def extremum(a, axis=None, out=None, keepdims=NoValue, initial=NoValue, where=NoValue):
        a = lazy(a)
        if a.dtype.hasobject:
            raise Foreign  # NumPy replaces NaNs by infinities
        result = reduce(ufunc, a, axis, None, None, keepdims, initial, where)
        if is_lazy(result) and result.dtype.kind in "fc":
            result = warn_where(result, core.ufunc(np.isnan, (result,)), "All-NaN slice encountered")
        return deliver(result, out)

    reduction_row(function, sentence=sentence)(extremum)


_add_extremum(np.nanmax, np.fmax,
              "Maximum of what is no NaN, fused; warns of slices that are all NaN when evaluated.")
_add_extremum(np.nanmin, np.fmin,
              "Minimum of what is no NaN, fused; warns of slices that are all NaN when evaluated.")


def _add_search(function, plain, worst, sentence):
    def search(a, axis=None, out=None, *, keepdims=NoValue):
        x = lazy(a)
        if x.dtype.hasobject:
            return at_once(function, x, axis, out, keepdims=keepdims)
        axis = axis if axis is None else operator.index(axis)
        keepdims = flag(keepdims)
        if native(x.dtype) and x.dtype.kind in "fc" and x.size and x.ndim:
            replaced, missing = replace_nan(x, worst)
            found = plain(replaced, axis, keepdims=keepdims)

            def check(found, empty):
                if empty.any():
                    raise ValueError("All-NaN slice encountered")
                return found.copy()

            check.batch, check.passes_on = checked, True
            found = call(check, [found, plain_all(missing, axis, keepdims=keepdims)], found.shape, found.dtype,
                         scalar=found._scalar, name=function.__name__)
        else:
            found = lower((function, axis, keepdims), lambda v: function(v, axis, keepdims=keepdims), [x],
                          function.__name__)
        if out is not None and not has_form(out, found.shape, found.dtype):
            return at_once(function, x, axis, out, keepdims=keepdims)
        return deliver(found, out)

    reduction_row(function, sentence=sentence)(search)


_add_search(np.nanargmax, argmax, -np.inf,
            "Index of the maximum of what is no NaN, fused; slices that are all NaN raise when evaluated.")
_add_search(np.nanargmin, argmin, np.inf,
            "Index of the minimum of what is no NaN, fused; slices that are all NaN raise when evaluated.")


def _require_inexact(dtype, out):
    if dtype is not None and not np.issubdtype(dtype, np.inexact):
        raise TypeError("If a is inexact, then dtype must be inexact")
    if out is not None and not np.issubdtype(out.dtype, np.inexact):
        raise TypeError("If a is inexact, then out must be inexact")


def _divide(total, count):
    with np.errstate(invalid="ignore", divide="ignore"):
        return divide_by_count(total, count)


@reduction_row(np.nanmean)
def nanmean(a, axis=None, dtype=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Mean of what is no NaN, fused; warns of empty slices when evaluated."""
    x, mask = replace_nan(a, 0)
    if mask is None:
        return plain_mean(x, axis, dtype, out, keepdims, where=where)
    _require_inexact(dtype, out)
    check_out(x, reduced_axes(np.add, axis, x), keepdims, out)
    count = reduce(np.add, core.ufunc(np.logical_not, (mask,)), axis, _INTP, None, keepdims, NoValue, where)
    average = _divide(plain_sum(x, axis, dtype, None, keepdims, NoValue, where), count)
    result = warn_where(average, core.ufunc(np.equal, (count, 0)), "Mean of empty slice")
    return deliver(result, out, "unsafe")


@reduction_row(np.nanvar)
def nanvar(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *, where=NoValue, mean=NoValue,
           correction=NoValue):
    """Variance without NaNs, fused; warnings about degrees of freedom are issued at evaluation."""
    given = _with_nans(a)
    x, mask = replace_nan(given, 0)
    if mask is None:
        return plain_var(x, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)
    _require_inexact(dtype, out)
    ddof = corrected(ddof, correction)
    check_out(x, reduced_axes(np.add, axis, x), keepdims, out)
    count = reduce(np.add, core.ufunc(np.logical_not, (mask,)), axis, _INTP, None, True, NoValue, where)
    if mean is NoValue:
        mean = _divide(plain_sum(x, axis, dtype, None, True, NoValue, where), count)
    # A second pass over the argument: the first one's expression would be stored for it.
    deviation = cast(core.ufunc(np.subtract, (given, mean)), x.dtype)
    deviation = core.select(core.ufunc(np.not_equal, (given, given)), _constant(0, x.dtype), deviation)
    square = core.ufunc(np.multiply, (deviation, deviation.conj()))
    if x.dtype.kind == "c":
        square = real_value(square)
    total = plain_sum(square, axis, dtype, None, keepdims, NoValue, where)
    if total.ndim < count.ndim:
        count = reduce(np.add, count, reduced_axes(np.add, axis, x))  # drops the axes, which have length 1
    freedom = core.ufunc(np.subtract, (count, ddof))
    bad = core.ufunc(np.less_equal, (freedom, 0))
    result = _divide(total, freedom)
    # NaN, inf and negative numbers are all possible if the divisor is not positive.
    chosen = core.select(bad, _constant(np.nan, result.dtype), result)
    result = core.scalar(chosen) if result._scalar else chosen
    return deliver(warn_where(result, bad, "Degrees of freedom <= 0 for slice."), out, "unsafe")


@reduction_row(np.nanstd)
def nanstd(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *, where=NoValue, mean=NoValue,
           correction=NoValue):
    """Square root of nanvar."""
    return root(nanvar(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction), out)
