"""Contractions: products summed over axes; native for matrices, opaque nodes of known shape for the rest."""
import functools
from math import prod

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.accumulation import plain_dtype
from lazyarr.ops.call import generalized
from lazyarr.ops.layout import diagonal, ravel, reshape_array, transpose
from lazyarr.ops.numpy_fallback import at_once, call, deliver, has_form
from lazyarr.ops.operands import dummy, lazy, native
from lazyarr.ops.reduction import sum as plain_sum
from lazyarr.ops.table import OPAQUE, row


def _both_native(a, b):
    return native(a.dtype) and native(b.dtype)


def as_matrices(x, stack, rows):
    """Reshape x to a stack of matrices: `stack` axes, then the next `rows` as one axis, and the rest as one."""
    if x.ndim == stack + 2 and rows == 1:
        return x
    lengths = x.shape[stack:]
    return reshape_array(x, (*x.shape[:stack], prod(lengths[:rows]), prod(lengths[rows:])))


def _rows_by_columns(function, a, b, axis):
    """Return function(a, b), which sums over the last axis of a and this one of b, for all pairs of other indices."""
    columns = transpose(b, (axis, *range(axis), *range(axis + 1, b.ndim))) if axis else b
    shape, dtype = a.shape[:-1] + columns.shape[1:], np.result_type(a.dtype, b.dtype)
    made = None
    if a.ndim > 1 and b.ndim > 1:
        made = core.product(as_matrices(a, 0, a.ndim - 1), as_matrices(columns, 0, 1), shape, dtype, "dot")
    if made is not None:
        return made

    def sums(a, b):
        return function(a, b)

    sums.keywords = {"joins": True}  # marks that remaining axes of both are joined, for derivatives
    letters = "".join(map(chr, range(97, 97 + a.ndim + b.ndim - 1)))
    sums.labels = (letters[:a.ndim], letters[a.ndim:][:axis] + letters[a.ndim - 1] + letters[a.ndim:][axis:],
                   letters[:a.ndim - 1] + letters[a.ndim:])
    return call(sums, [a, b], shape, dtype, scalar=not shape, name=function.__name__)


@row(np.dot, kind=OPAQUE)
def dot(a, b, out=None):
    """Dot product: the matmul node for vectors and matrices, NumPy's function for more axes."""
    if out is None:
        number = core.inner_at_once(np.dot, a, b)
        if number is not None:
            return number
    a, b = lazy(a), lazy(b)
    if not _both_native(a, b):
        return at_once(np.dot, a, b, out)
    if a.ndim == 0 or b.ndim == 0:
        result = _times_number(a, b)
    elif a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
        np.dot(dummy(a), dummy(b))  # raises
    elif a.ndim <= 2 and b.ndim <= 2 and 1 in (a.ndim, b.ndim):
        result = generalized(np.matmul, (a, b), name="dot")
    else:
        result = _rows_by_columns(np.dot, a, b, max(b.ndim - 2, 0))
    if out is not None and (not has_form(out, result.shape, result.dtype) or not out.flags.c_contiguous):
        return at_once(np.dot, a, b, out)
    return deliver(result, out)


def _times_number(a, b):
    """Multiply an array by a number and add zero, as NumPy's one-term sums do."""
    product = core.ufunc(np.multiply, (a, b))
    return core.ufunc(np.add, (product, np.zeros((), product.dtype)[()])) if product.dtype.kind in "fc" else product


@row(np.vdot)
def vdot(a, b, /):
    """Dot product of the flattened arrays, the first conjugated."""
    a, b = ravel(a), ravel(b)
    if not _both_native(a, b) or a.shape != b.shape:
        return at_once(np.vdot, a, b)
    return core.ufunc(np.vecdot, (a, b))


@row(np.inner, kind=OPAQUE)
def inner(a, b, /):
    """Sum of products over the last axes, by NumPy when evaluated."""
    a, b = lazy(a), lazy(b)
    if not _both_native(a, b):
        return at_once(np.inner, a, b)
    if a.ndim == 0 or b.ndim == 0:
        return _times_number(a, b)
    if a.shape[-1] != b.shape[-1]:
        np.inner(dummy(a), dummy(b))  # raises
    return _rows_by_columns(np.inner, a, b, b.ndim - 1)


@row(np.outer)
def outer(a, b, out=None):
    """All products of the elements of two vectors, fused."""
    a, b = ravel(a), ravel(b)
    return core.ufunc(np.multiply, (a[:, None], b[None, :]), None if out is None else {"out": out})


@row(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum of a diagonal."""
    return plain_sum(diagonal(a, offset, axis1, axis2), -1, plain_dtype(dtype), out)


@row(np.linalg.matmul, kind=OPAQUE)
def linalg_matmul(x1, x2, /):
    """Matrix product."""
    return core.ufunc(np.matmul, (lazy(x1), lazy(x2)))


@row(np.linalg.vecdot, kind=OPAQUE)
def linalg_vecdot(x1, x2, /, *, axis=-1):
    """Dot products along an axis."""
    return core.ufunc(np.vecdot, (lazy(x1), lazy(x2)), None if axis == -1 else {"axis": axis})


def _add_sliding(function, default, what):
    def slide(a, v, mode=default):
        a, v = lazy(a), lazy(v)
        if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size or mode not in ("full", "same", "valid") \
                or not _both_native(a, v):
            return at_once(function, a, v, mode)
        longer, shorter = max(a.size, v.size), min(a.size, v.size)
        extent = {"full": longer + shorter - 1, "same": longer, "valid": longer - shorter + 1}[mode]
        return call(functools.partial(function, mode=mode), [a, v], (extent,), np.result_type(a.dtype, v.dtype),
                    name=function.__name__)

    row(function, kind=OPAQUE, sentence=f"{what} of two vectors, by NumPy when evaluated.")(slide)


_add_sliding(np.convolve, "full", "Convolution")
_add_sliding(np.correlate, "valid", "Correlation")
