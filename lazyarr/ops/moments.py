"""Means, variances and standard deviations, composed of sums.

They follow NumPy's algorithms step by step, so dtypes, warnings and the rounding of the last division are NumPy's.
"""
import math
import warnings

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.numpy_fallback import at_once, call, deliver, reject
from lazyarr.ops.operands import cast, dtype_from, dummy, is_lazy, lazy, native
from lazyarr.ops.reduction import NoValue, broadcast_layout, flag, hides, reduce, reduced_axes, reduced_shape, sum
from lazyarr.ops.table import reduction_row
from lazyarr.ops.vmap_helpers import checked

_INTP = np.dtype(np.intp)
_DOUBLE = np.dtype(float)
_SUMMED_AS_THEY_ARE = {np.dtype("f4"), _DOUBLE}


def _is_numpys(x, dtype, out):
    """Return whether NumPy must compute a moment: of objects, or with an `out` of another kind."""
    if not native(x.dtype) or hides(out, x) or (dtype is not None and dtype_from(dtype).hasobject):
        return True
    summed = dtype_from(dtype) if dtype is not None else _DOUBLE if x.dtype.kind in "biu" else x.dtype
    return out is not None and out.dtype.kind != summed.kind and not vjp.is_history_kept()


def check_out(x, axes, keepdims, out):
    """Raise NumPy's error if `out` does not have the result's shape."""
    keepdims = flag(keepdims)
    if out is not None and tuple(out.shape) != reduced_shape(x.shape, axes, keepdims):
        np.add.reduce(dummy(x), axis=axes, keepdims=keepdims, out=np.empty(out.shape, out.dtype))


def divide_by_count(total, count):
    """Return total / count in total's dtype, rounded as in NumPy: divided in double precision first."""
    if total.dtype is _DOUBLE and not is_lazy(count):
        count = float(count)
        return total / count if total._scalar else core.ufunc(np.true_divide, (total, count))
    if total._scalar:  # NumPy divides scalars, single ones by integers as arrays, and casts the quotient separately
        as_arrays = total.dtype == np.float32
        return cast(core.ufunc(np.true_divide, (total, count)) if as_arrays else total / count, total.dtype)
    return cast(core.ufunc(np.true_divide, (total, count)), total.dtype, "divide")


def _count(x, axes, keepdims, where):
    """Return how many elements each result has: a NumPy integer, or lazily counted in a mask."""
    if where is True or where is NoValue:
        return np.intp(x.size if len(axes) == x.ndim else math.prod([x.shape[i] for i in axes]))
    mask = lazy(where)
    return reduce(np.add, core.view(mask, *broadcast_layout(mask, x.shape)), axes, _INTP, None, keepdims)


def warn_where(result, suspect, message):
    """Return result, with a RuntimeWarning on evaluation if any element of `suspect` is true."""
    def check(result, suspect):
        if suspect.any():
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        return result.copy(order="K")

    check.pull_back = lambda g, out, operands, wanted: (g, None)
    check.batch, check.passes_on = checked, True
    return call(check, [result, suspect], result.shape, result.dtype, scalar=result._scalar,
                name=f"check: {message}", axes=core.axes_iterated(result))


def _mean_axes(function, axis, x):
    if x.ndim == 0 and axis not in (None, ()):
        reject(function, x, axis)
    return reduced_axes(np.add, axis, x, function)


@reduction_row(np.mean)
def mean(a, axis=None, dtype=None, out=None, keepdims=NoValue, *, where=NoValue):
    """Arithmetic mean: a sum, fused, and a division."""
    x = lazy(a)
    if x.dtype in _SUMMED_AS_THEY_ARE and dtype is out is None and keepdims is where is NoValue and x.size and x.ndim:
        total = sum(x, axis)
        return divide_by_count(total, x.size // total.size)
    if _is_numpys(x, dtype, out):
        return at_once(np.mean, x, axis, dtype, out, keepdims, where=where)
    axes = _mean_axes(np.mean, axis, x)
    count = _count(x, axes, keepdims, where)
    if not is_lazy(count) and count == 0:
        warnings.warn("Mean of empty slice", RuntimeWarning, stacklevel=3)
    narrow = None  # float16 is summed in float32
    if dtype is None:
        if x.dtype.kind in "biu":
            dtype = np.dtype(float)
        elif x.dtype == np.float16:
            dtype, narrow = np.dtype(np.float32), x.dtype
    check_out(x, axes, keepdims, out)
    total = reduce(np.add, x, axes, dtype, None, keepdims, NoValue, where)
    if out is not None:  # the sum is stored and divided in `out`
        total, narrow = core.unscalar(cast(total, out.dtype)), None
    if narrow is not None and total._scalar:
        result = cast(core.ufunc(np.true_divide, (total, count)), narrow)
    else:
        result = divide_by_count(total, count)
        result = result if narrow is None else cast(result, narrow)
    if is_lazy(count):
        result = warn_where(result, core.ufunc(np.equal, (count, 0)), "Mean of empty slice")
    return deliver(result, out, "unsafe")


@reduction_row(np.var)
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *, where=NoValue, mean=NoValue,
        correction=NoValue):
    """Variance: the mean, then a fused sum of squared deviations."""
    x = lazy(a)
    ddof = corrected(ddof, correction)
    if isinstance(ddof, list | tuple | np.ndarray) or _is_numpys(x, dtype, out):
        return at_once(np.var, x, axis, dtype, out, ddof, keepdims, where=where, mean=mean)
    axes = _mean_axes(np.var, axis, x)
    count = _count(x, axes, True, where)
    if not is_lazy(count) and ddof >= count:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
    if dtype is None and x.dtype.kind in "biu":
        dtype = np.dtype(float)
    check_out(x, axes, keepdims, out)
    if mean is where is NoValue and x.nbytes > ONE_PASS and core.get_fast_math() and count == x.size \
            and x.dtype in (np.float32, np.float64) and dtype in (None, x.dtype):
        total = _shifted_squares(x, keepdims)
    else:
        if mean is NoValue:
            mean = divide_by_count(reduce(np.add, x, axes, dtype, None, True, NoValue, where), count)
        squares = _squared_deviation(x, mean)
        total = reduce(np.add, squares, axes, dtype, None, keepdims, NoValue, where)
    if out is not None:
        total = core.unscalar(cast(total, out.dtype))
    if is_lazy(count) and not flag(keepdims):
        count = reduce(np.add, count, axes)  # drops the axes of length 1
    freedom = core.ufunc(np.maximum, (count - ddof, 0)) if is_lazy(count) else np.maximum(count - ddof, 0)
    result = divide_by_count(total, freedom)
    if is_lazy(count):
        suspect = core.ufunc(np.less_equal, (count, ddof))
        result = warn_where(result, suspect, "Degrees of freedom <= 0 for slice")
    return deliver(result, out, "unsafe")


ONE_PASS = 1 << 23
"""Bytes of an array that is worth reading once instead of twice."""


def _shifted_squares(x, keepdims):
    """Return the sum of squared deviations of all elements in one pass, shifted by the first element.

    Chan, Golub and LeVeque, "Algorithms for computing the sample variance", The American Statistician 37 (1983).
    """
    apart = core.ufunc(np.subtract, (x, x[(slice(1),) * x.ndim]))
    axes = tuple(range(x.ndim))
    total = reduce(np.add, apart, axes, None, None, keepdims)
    squares = reduce(np.add, core.ufunc(np.multiply, (apart, apart)), axes, None, None, keepdims)
    return np.maximum(squares - total * total / x.dtype.type(x.size), x.dtype.type(0))


def corrected(ddof, correction):
    """Return the degrees of freedom to subtract, by either name."""
    if correction is NoValue:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _squared_deviation(x, mean):
    """Return |x - mean|**2, real."""
    if x.dtype.kind != "c":
        deviation = core.ufunc(np.subtract, (x, mean))
        if deviation.dtype.kind != "c":
            return core.ufunc(np.square, (deviation,))
        parts = deviation.real, deviation.imag
    else:  # by parts: the parts of the difference would be stored
        mean = lazy(mean)
        parts = [core.ufunc(np.subtract, pair) for pair in ((x.real, np.real(mean)), (x.imag, np.imag(mean)))]
    return core.ufunc(np.add, tuple([core.ufunc(np.square, (part,)) for part in parts]))


@reduction_row(np.std)
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=NoValue, *, where=NoValue, mean=NoValue,
        correction=NoValue):
    """Standard deviation: the square root of the variance."""
    return root(var(a, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction), out)


def root(variance, out):
    """Return the square root in the variance's dtype; an array of integers cannot hold it, as in NumPy."""
    if out is not None:
        return np.sqrt(variance, out=variance)
    if not is_lazy(variance):  # an object with its own root
        found = np.sqrt(variance)
        return variance.dtype.type(found) if hasattr(variance, "dtype") else found
    if variance.dtype.kind in "biu" and not variance._scalar:
        np.sqrt(np.zeros(1, variance.dtype), out=np.zeros(1, variance.dtype))  # raises
    return cast(core.ufunc(np.sqrt, (variance,)), variance.dtype)
