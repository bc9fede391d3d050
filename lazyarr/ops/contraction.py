"""Contractions: products that sum over axes. NumPy's BLAS computes them, as opaque nodes of known shape."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.layout import diagonal_array, ravel_array
from lazyarr.ops.memory import learned_axes
from lazyarr.ops.opaque import at_once, call, deliver
from lazyarr.ops.operands import dummy, lazy, native
from lazyarr.ops.reduction import sum as plain_sum
from lazyarr.ops.registry import OPAQUE, row


def _both_native(a, b):
    return native(a.dtype) and native(b.dtype)


@row(np.dot, kind=OPAQUE)
def dot(a, b, out=None):
    """Dot product: the matmul node for vectors and matrices, NumPy's function for more axes."""
    a, b = lazy(a), lazy(b)
    if not _both_native(a, b):
        return at_once(np.dot, a, b, out)
    if a.ndim == 0 or b.ndim == 0:
        result = core.ufunc(np.multiply, (a, b))
    elif a.shape[-1] != b.shape[max(b.ndim - 2, 0)]:
        np.dot(dummy(a), dummy(b))  # raises
    elif a.ndim <= 2 and b.ndim <= 2:
        result = core.ufunc(np.matmul, (a, b))
    else:
        shape = a.shape[:-1] + b.shape[:-2] + (b.shape[-1:] if b.ndim > 1 else ())
        result = call(np.dot, [a, b], shape, np.result_type(a.dtype, b.dtype), scalar=not shape, name="dot")
    if out is not None and (tuple(out.shape) != result.shape or out.dtype != result.dtype):
        return at_once(np.dot, a, b, out)
    return deliver(result, out)


@row(np.vdot)
def vdot(a, b, /):
    """Dot product of the flattened arrays, the first conjugated."""
    a, b = ravel_array(lazy(a)), ravel_array(lazy(b))
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
        return core.ufunc(np.multiply, (a, b))
    if a.shape[-1] != b.shape[-1]:
        np.inner(dummy(a), dummy(b))  # raises
    shape = a.shape[:-1] + b.shape[:-1]
    return call(np.inner, [a, b], shape, np.result_type(a.dtype, b.dtype), scalar=not shape, name="inner")


@row(np.outer)
def outer(a, b, out=None):
    """All products of the elements of two vectors, fused."""
    a, b = ravel_array(lazy(a)), ravel_array(lazy(b))
    return core.ufunc(np.multiply, (a[:, None], b[None, :]), None if out is None else {"out": out})


@row(np.trace)
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Sum of a diagonal."""
    return plain_sum(diagonal_array(lazy(a), offset, axis1, axis2), -1, dtype, out)


@row(np.linalg.trace)
def linalg_trace(x, /, *, offset=0, dtype=None):
    """Sums of the diagonals of a stack of matrices."""
    return plain_sum(diagonal_array(lazy(x), offset, -2, -1), -1, dtype)


@row(np.linalg.matmul, kind=OPAQUE)
def linalg_matmul(x1, x2, /):
    """Matrix product."""
    return core.ufunc(np.matmul, (lazy(x1), lazy(x2)))


@row(np.linalg.vecdot, kind=OPAQUE)
def linalg_vecdot(x1, x2, /, *, axis=-1):
    """Dot products along an axis."""
    return core.ufunc(np.vecdot, (lazy(x1), lazy(x2)), None if axis == -1 else {"axis": axis})


@row(np.linalg.det, kind=OPAQUE)
def det(a):
    """Determinants, by NumPy when evaluated."""
    x = lazy(a)
    if not native(x.dtype):
        return at_once(np.linalg.det, x)
    dtype = np.linalg.det(np.ones((1, 1), x.dtype)).dtype
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        np.linalg.det(dummy(x))  # raises
    return call(np.linalg.det, [x], x.shape[:-2], dtype, scalar=x.ndim == 2, name="linalg.det",
                axes=learned_axes(np.linalg.det, np.linalg.det, [x]))


def _convolved(function, a, v, mode):
    a, v = lazy(a), lazy(v)
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size or mode not in ("full", "same", "valid") \
            or not _both_native(a, v):
        return at_once(function, a, v, mode)
    longer, shorter = max(a.size, v.size), min(a.size, v.size)
    extent = {"full": longer + shorter - 1, "same": longer, "valid": longer - shorter + 1}[mode]
    return call(lambda a, v: function(a, v, mode), [a, v], (extent,), np.result_type(a.dtype, v.dtype),
                name=function.__name__)


@row(np.convolve, kind=OPAQUE)
def convolve(a, v, mode="full"):
    """Convolution of two vectors, by NumPy when evaluated."""
    return _convolved(np.convolve, a, v, mode)


@row(np.correlate, kind=OPAQUE)
def correlate(a, v, mode="valid"):
    """Correlation of two vectors, by NumPy when evaluated."""
    return _convolved(np.correlate, a, v, mode)


def _einsum_shape(subscripts, arrays):
    """The result's shape, or None where NumPy should see to it (an error, or a notation not read here)."""
    subscripts = subscripts.replace(" ", "")
    inputs, arrow, output = subscripts.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(arrays):
        return None
    extents, spread = {}, ()
    for term, x in zip(terms, arrays, strict=True):
        before, dots, after = term.partition("...")
        if (not (before + after).isalpha() and before + after) or x.ndim < len(before + after) \
                or (not dots and x.ndim != len(before)):
            return None
        stop = x.ndim - len(after)
        try:
            spread = core.broadcast_shape(spread, x.shape[len(before):stop])
        except ValueError:
            return None
        named = zip(before + after, x.shape[:len(before)] + x.shape[stop:], strict=True)
        for label, extent in named:
            if extents.setdefault(label, extent) == 1:
                extents[label] = extent
            elif extent not in (1, extents[label]):
                return None
    if not arrow:
        letters = inputs.replace(",", "").replace("...", "")
        output = ("..." if "..." in inputs else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    before, dots, after = output.partition("...")
    if len(set(before + after)) != len(before + after) or not set(before + after) <= extents.keys() \
            or (spread and not dots):
        return None
    return (*[extents[c] for c in before], *spread, *[extents[c] for c in after])


def _keeps_labels(subscripts):
    """Whether nothing is summed: then NumPy gives a view, and elements may be written through it."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    return set(inputs) <= set(output) if arrow else len(set(inputs.replace(".", ""))) == len(inputs.replace(".", ""))


def _einsum_view(subscripts, x):
    # NumPy's function reads no element for a view, only shape and strides
    moved = np.einsum(subscripts, np.lib.stride_tricks.as_strided(np.empty((), x.dtype), x.shape, x.strides))
    return core.view(x, moved.shape, moved.strides)


@row(np.einsum, kind=OPAQUE)
def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sum of products in index notation, by NumPy when evaluated."""
    if not operands or not isinstance(operands[0], str) or out is not None or kwargs:
        return at_once(np.einsum, *operands, optimize=optimize, **({} if out is None else {"out": out}), **kwargs)
    subscripts, *arrays = operands
    arrays = [lazy(x) for x in arrays]
    shape = _einsum_shape(subscripts, arrays)
    if shape is None or not all(native(x.dtype) for x in arrays):
        return at_once(np.einsum, subscripts, *arrays, optimize=optimize)
    if len(arrays) == 1 and arrays[0].ndim and _keeps_labels(subscripts):
        return _einsum_view(subscripts, arrays[0])

    def contract(*v):
        return np.einsum(subscripts, *v, optimize=optimize)

    axes = learned_axes(("einsum", subscripts, str(optimize)), contract, arrays, c_stays_c=False)
    return call(contract, arrays, shape, np.result_type(*[x.dtype for x in arrays]), scalar=not shape, name="einsum",
                axes=axes)
