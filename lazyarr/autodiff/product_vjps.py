"""Derivatives of products with sums: matrix products, einsum, convolution and correlation."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.composed_vjps import by_composition
from lazyarr.ops.einsum import labels

_transposed = np.matrix_transpose


def _matrix_product(g, out, operands, wanted):
    """Rule for x @ y: g @ y.T and x.T @ g for each matrix of a stack; a vector is a row or a column.

    The core sums over broadcast axes.
    """
    x, y = operands
    if x.ndim == y.ndim == g.ndim == 2:  # the most frequent case, in few calls
        return g @ y.T if wanted[0] else None, x.T @ g if wanted[1] else None
    if x.ndim > 1 and y.ndim > 1:  # the core may have merged the remaining axes
        g = g.reshape(*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1])
    rows = x[None, :] if x.ndim == 1 else x
    columns = y[:, None] if y.ndim == 1 else y
    if y.ndim == 1:
        g = g[..., None]
    if x.ndim == 1:
        g = g[..., None, :]
    gx = gy = None
    if wanted[0]:
        gx = g @ _transposed(columns)
        gx = gx[..., 0, :] if x.ndim == 1 else gx
    if wanted[1]:
        gy = _transposed(rows) @ g
        gy = gy[..., 0] if y.ndim == 1 else gy
    return gx, gy


def _dot(g, out, operands, wanted, joins=False):
    """Rule for np.dot, which sums over the last axis of x and the second to last of y, and may merge the others."""
    x, y = operands
    if not joins:
        return _matrix_product(g, out, operands, wanted)
    ahead, summed = x.ndim - 1, max(y.ndim - 2, 0)
    others = [axis for axis in range(y.ndim) if axis != summed]
    gx = np.tensordot(g, y, (tuple(range(ahead, g.ndim)), others)) if wanted[0] else None
    gy = np.moveaxis(np.tensordot(x, g, (range(ahead), range(ahead))), 0, summed) if wanted[1] else None
    return gx, gy


def _of_last_axes(product, *dimensions):
    """Rule for a product over the last `dimensions` axes of operands and result, with axes given in the call."""
    def composition(*operands, axes=None, axis=None, keepdims=False, **options):
        *given, made = dimensions
        if axis is not None:
            axes = [axis] * len(operands) + [axis] * keepdims
        if axes is None:
            axes = [tuple(range(-n, 0)) for n in dimensions]
        moved = [np.moveaxis(x, place, tuple(range(-n, 0))) for x, place, n in zip(operands, axes, given, strict=False)]
        result = product(*moved)
        if keepdims:
            result, made = result[..., None], 1
            axes = axes if len(axes) > len(operands) else [*axes, -1]
        return np.moveaxis(result, tuple(range(-made, 0)), axes[-1]) if made else result

    return by_composition(composition)


_of_matrices = _of_last_axes(np.matmul, 2, 2, 2)
vjp.add_call_rule("matmul", lambda g, out, operands, wanted, **options: (
    _of_matrices if options.get("axes") else _matrix_product)(g, out, operands, wanted, **options))
vjp.add_call_rule("dot", _dot)
vjp.add_call_rule("inner", by_composition(lambda x, y, joins: np.tensordot(x, y, (-1, -1))))
vjp.add_call_rule("vecdot", _of_last_axes(lambda x, y: np.sum(np.conj(x) * y, -1), 1, 1, 0))
vjp.add_call_rule("matvec", _of_last_axes(lambda x, y: np.sum(x * y[..., None, :], -1), 2, 1, 1))
vjp.add_call_rule("vecmat", _of_last_axes(lambda x, y: np.sum(np.conj(x)[..., :, None] * y, -2), 1, 2, 1))


# ---- index notation ------------------------------------------------------------------------------------


def _sum_of_products(g, out, operands, wanted, subscripts):
    """Rule for np.einsum: the sum of products of the cotangent and the other operands."""
    named = labels(subscripts, tuple([x.ndim for x in operands]))
    short = {label: i for i, label in enumerate(sorted(set("".join(named))))}
    *terms, output = [[short[label] for label in term] for term in named]
    return [_factor(i, g, operands, terms, output) if is_wanted else None for i, is_wanted in enumerate(wanted)]


def _factor(i, g, operands, terms, output):
    x, own = operands[i], terms[i]
    given = [(g, output), *[(y, term) for k, (y, term) in enumerate(zip(operands, terms, strict=True)) if k != i]]
    extents: dict[int, int] = {}
    for y, term in given:
        for label, extent in zip(term, y.shape, strict=True):
            extents[label] = max(extents.get(label, 1), extent)
    distinct = list(dict.fromkeys(own))
    for label, extent in zip(own, x.shape, strict=True):  # summed in this operand alone
        if extent != extents.setdefault(label, 1) and extent > 1:
            given.append((np.ones(extent, g.dtype), [label]))
            extents[label] = extent
        elif extent == 0:
            extents[label] = 0
    missing = [label for label in distinct if not any(label in term for _, term in given)]
    given += [(np.ones(extents[label], g.dtype), [label]) for label in missing]
    made = np.einsum(*[part for pair in given for part in pair], distinct)
    if len(distinct) == len(own):
        return made
    whole = core.full(x.shape, 0, made.dtype)
    np.einsum(whole, own, distinct)[...] = made
    return whole


vjp.add_call_rule("einsum", _sum_of_products)


# ---- convolution and correlation -----------------------------------------------------------------------


def _convolution(g, out, operands, wanted, mode="full", swapped=False):
    """Rule for np.convolve, from the cotangent of the full convolution, of which other modes return the middle."""
    a, v = operands
    shorter = min(a.size, v.size)
    start = {"full": 0, "same": shorter // 2 if swapped else (shorter - 1) // 2, "valid": shorter - 1}[mode]
    g = np.pad(g, (start, a.size + v.size - 1 - g.size - start))
    return (np.convolve(g, v[::-1], "valid") if wanted[0] else None,
            np.convolve(g, a[::-1], "valid") if wanted[1] else None)


def _correlation(g, out, operands, wanted, mode="valid"):
    """Correlate as a convolution with the second operand conjugated and reversed."""
    a, v = operands
    ga, gv = _convolution(g, out, [a, v[::-1].conj()], wanted, mode, v.size > a.size)
    return ga, None if gv is None else gv[::-1].conj()


vjp.add_call_rule("convolve", _convolution)
vjp.add_call_rule("correlate", _correlation)
