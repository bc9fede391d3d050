"""Derivatives of folds and of calls: what the core's own rules leave."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core import tape


def _transposed(x):
    return x.T if x.ndim == 2 else x.swapaxes(-1, -2)


def _unfolded(g, axes, kept):
    """g with its folded axes back, of length 1."""
    return g if kept else np.expand_dims(g, axes)


def _product(g, out, x, axes, kept):
    """Of each element the product of the others: with one zero only that one has any, with several none."""
    g, out = _unfolded(g, axes, kept), _unfolded(out, axes, kept)
    zero = x == 0
    zeros = np.sum(zero, axis=axes, keepdims=True)
    others = np.prod(np.where(zero, 1, x), axis=axes, keepdims=True)
    return np.where(zero, np.where(zeros == 1, g * others, 0), g * out / np.where(zero, 1, x))


def _running_sum(g, out, x, axes, kept):
    if g.ndim < x.ndim or len(axes) > 1:  # over all elements in one line
        return np.flip(np.cumsum(np.flip(g))).reshape(x.shape)
    return np.flip(np.cumsum(np.flip(g, axes), axes[0]), axes)


def _logaddexp(g, out, x, axes, kept):
    return _unfolded(g, axes, kept) * np.exp(x - _unfolded(out, axes, kept))


tape.add_fold_rule("multiply", _product)
tape.add_fold_rule("add.accumulate", _running_sum)
tape.add_fold_rule("logaddexp", _logaddexp)


def _matrix_product(g, out, operands, wanted):
    """Of x @ y: g @ y.T and x.T @ g, for each matrix of a stack; a vector is a row or a column.

    What was broadcast is summed by the core.
    """
    x, y = operands
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


def _dot(g, out, operands, wanted):
    """Of np.dot, which sums over the last axis of x and the last but one of y, and joins the others."""
    x, y = operands
    if x.ndim <= 2 and y.ndim <= 2:
        return _matrix_product(g, out, operands, wanted)
    ahead, summed = x.ndim - 1, max(y.ndim - 2, 0)
    others = [axis for axis in range(y.ndim) if axis != summed]
    gx = np.tensordot(g, y, (tuple(range(ahead, g.ndim)), others)) if wanted[0] else None
    gy = np.moveaxis(np.tensordot(x, g, (range(ahead), range(ahead))), 0, summed) if wanted[1] else None
    return gx, gy


tape.add_call_rule("matmul", _matrix_product)
tape.add_call_rule("dot", _dot)


def _inverse(g, out, operands, wanted):
    return -_transposed(out) @ g @ _transposed(out),


def _solve(g, out, operands, wanted):
    a, b = operands
    if b.ndim == 1:
        g, out = g[..., None], out[..., None]
    gb = np.linalg.solve(_transposed(a), g)
    return -gb @ _transposed(out), gb[..., 0] if b.ndim == 1 else gb


def _determinant(g, out, operands, wanted):
    return (g * out)[..., None, None] * _transposed(np.linalg.inv(operands[0])),


def _sign_and_logarithm(g, out, operands, wanted):
    return g[1][..., None, None] * _transposed(np.linalg.inv(operands[0])) if 1 in g else None,


def _of_lower_triangle(x):
    """The cotangent of a symmetric matrix of which only the lower triangle is read: both triangles' in one."""
    whole = (x + _transposed(x)) / 2
    return np.tril(2 * whole) - whole * np.eye(x.shape[-1], dtype=x.dtype)


def _real(name, x):
    if x.dtype.kind == "c":
        raise tape.NotDifferentiable(f"{name} of complex matrices has no derivative")


def _cholesky(g, out, operands, wanted):
    """Murray, Differentiation of the Cholesky decomposition, 2016: eq. 10."""
    _real("linalg.cholesky", out)
    inner = _transposed(out) @ np.tril(g)
    lower = np.tril(inner) - inner * (np.eye(out.shape[-1], dtype=out.dtype) / 2)
    inverse = np.linalg.inv(out)
    return _of_lower_triangle(_transposed(inverse) @ lower @ inverse),


def _eigenvectors(g, out, operands, wanted):
    """Giles, An extended collection of matrix derivative results, 2008: section 3.1; of a symmetric matrix."""
    a, = operands
    _real("linalg.eigh", a)
    values, vectors = np.linalg.eigh(a)
    eye = np.eye(a.shape[-1], dtype=a.dtype)
    inner = 0
    if 1 in g:
        apart = values[..., None, :] - values[..., :, None] + eye
        inner = _transposed(vectors) @ g[1] / apart * (1 - eye)
    if 0 in g:
        inner = inner + g[0][..., None, :] * eye
    return _of_lower_triangle(vectors @ inner @ _transposed(vectors)),


def _cholesky_of_upper(g, out, operands, wanted):
    made, = _cholesky(_transposed(g), _transposed(out), operands, wanted)
    return _transposed(made),


def _eigenvectors_of_upper(g, out, operands, wanted):
    made, = _eigenvectors(g, out, [_transposed(operands[0])], wanted)
    return _transposed(made),


tape.add_call_rule("linalg.slogdet", _sign_and_logarithm)
tape.add_call_rule("linalg.cholesky", _cholesky)
tape.add_call_rule("linalg.cholesky of the upper triangle", _cholesky_of_upper)
tape.add_call_rule("linalg.eigh", _eigenvectors)
tape.add_call_rule("linalg.eigh of the upper triangle", _eigenvectors_of_upper)
tape.add_call_rule("linalg.inv", _inverse)
tape.add_call_rule("linalg.solve", _solve)
tape.add_call_rule("linalg.det", _determinant)


def _chosen_elements(g, out, operands, wanted):
    """Of x[mask]: the cotangents go back to where the mask holds."""
    x, mask = operands
    return core.kernel("elements under a mask", _put_back, [g, mask], x.shape, x.dtype), None


def _put_back(made, g, mask):
    made[...] = 0
    made[mask] = g


tape.add_call_rule("x[mask]", _chosen_elements)
tape.add_call_rule("elements under a mask", lambda g, out, operands, wanted: (g[operands[1]], None))


def _sum_of_copies(g, x, inside):
    """g summed over the copies of x, which stand beside each element or, unless `inside`, of each whole axis."""
    shape: list[int] = []
    for extent, length in zip(x.shape, g.shape, strict=True):
        copies = length // extent if extent else 1
        shape += [extent, copies] if inside else [copies, extent]
    return g.reshape(shape).sum(tuple(range(inside, 2 * x.ndim, 2)))


tape.add_call_rule("repeat", lambda g, out, operands, wanted: (_sum_of_copies(g, operands[0], True),))
tape.add_call_rule("tile", lambda g, out, operands, wanted: (_sum_of_copies(g, operands[0], False),))
