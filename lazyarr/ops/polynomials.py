"""Polynomials whose number of coefficients is known: from roots, integrated, fitted to points."""
import functools
import warnings

import numpy as np

from lazyarr._core.transforms import vjp
from lazyarr.ops.numpy_fallback import at_once, call
from lazyarr.ops.operands import find_lazy, lazy, native, values
from lazyarr.ops.rehearsal import explain
from lazyarr.ops.table import OPAQUE, row


@row(np.poly, kind=OPAQUE)
def poly(seq_of_zeros):
    """The coefficients for given real roots, by NumPy when evaluated; at once for complex ones and for matrices."""
    x = lazy(seq_of_zeros)
    if x.ndim != 1 or x.dtype.kind not in "biuf" or not native(x.dtype) or not x.size:
        return at_once(np.poly, x)  # values decide whether the coefficients are complex
    return call(np.poly, [x], (x.size + 1,), np.poly(np.zeros(1, x.dtype)).dtype, name="poly")


@row(np.polyint, kind=OPAQUE)
def polyint(p, m=1, k=None):
    """The coefficients of an antiderivative, by NumPy when evaluated."""
    if isinstance(p, np.poly1d):
        return np.polyint(p, m, values(k))
    x = lazy(p)
    if find_lazy([k]) and vjp.is_history_kept():  # differentiable by k, too
        return at_once(np.polyint, x, m, lazy(k))
    k = values(k)
    if x.ndim != 1 or not native(x.dtype):
        return at_once(np.polyint, x, m, k)
    dtype = np.polyint(np.ones(1, x.dtype), m, k).dtype  # raises for wrong m and k
    return call(functools.partial(np.polyint, m=m, k=k), [x], (x.size + int(m),), dtype, name="polyint")


def _fit(x, y, w=None, *, deg, rcond):
    return np.polyfit(x, y, deg, rcond, w=w)


@row(np.polyfit, kind=OPAQUE)
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Least squares fit of a polynomial, by NumPy when evaluated; at once where more than the fit is wanted."""
    x, y = lazy(x), lazy(y)
    weights = [] if w is None else [lazy(w)]
    if full or cov or not all(native(array.dtype) for array in (x, y, *weights)):
        return at_once(np.polyfit, x, y, deg, rcond, full, w, cov)  # residuals may be missing
    explain(np.polyfit, (x, y, deg, rcond), {"w": weights[0] if weights else None})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tried = np.polyfit(np.ones(3, x.dtype), np.ones((3, 2)[:y.ndim], y.dtype), 1, rcond,
                           w=np.ones(3, weights[0].dtype) if weights else None)
    axes = (1, 0) if tried.ndim == 2 and tried.strides[0] < tried.strides[1] else None
    return call(functools.partial(_fit, deg=deg, rcond=rcond), [x, y, *weights],
                (int(deg) + 1, *y.shape[1:]), tried.dtype, name="polyfit", axes=axes)
