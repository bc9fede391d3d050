"""Derivatives of LAPACK's functions.

The literature's rules use cotangents conjugate to ours; `_in_conjugates` converts them.

Vectors of equal eigenvalues or singular values have no derivative: it is infinite or NaN, as in JAX. If only the values
are used, nothing is divided by their differences.

References
----------
Boeddeker, Hanebrink, Drude, Heymann, Haeb-Umbach, On the computation of complex-valued gradients, 2017: section 4.
Giles, An extended collection of matrix derivative results, 2008: sections 2 and 3.
Golub, Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems, 1973: section 4.
Murray, Differentiation of the Cholesky decomposition, 2016: eq. 10.
Townsend, Differentiating the singular value decomposition, 2016: sections 1.1 and 1.2.
Walter, Lehmann, On evaluating higher-order derivatives of the QR decomposition, 2012.
"""
import functools

import numpy as np

from lazyarr._core.transforms import vjp
from lazyarr.autodiff.cofactors import cofactors
from lazyarr.autodiff.composed_vjps import by_composition

_transposed = np.matrix_transpose


def _adjoint(x):
    return _transposed(x).conj()


def _in_conjugates(rule):
    """Adapt a rule for conjugate cotangents to ours."""
    @functools.wraps(rule)
    def conjugated(g, out, operands, wanted, **options):
        g = {which: one.conj() for which, one in g.items()} if isinstance(g, dict) else g.conj()
        return [None if made is None else made.conj() for made in rule(g, out, operands, wanted, **options)]

    return conjugated


def _eye(x):
    return np.eye(x.shape[-1], dtype=x.dtype)


def _on_diagonal(x):
    return x[..., None, :] * _eye(x)


def _of_lower_triangle(x):
    """Return the cotangent of a Hermitian matrix of which the lower triangle is read: fold the upper one into it."""
    whole = (x + _adjoint(x)) / 2
    return np.tril(2 * whole) - whole * _eye(x)


# ---- equations and determinants --------------------------------------------------------------------------


def _inverse(g, out, operands, wanted):
    return -_transposed(out) @ g @ _transposed(out),


def _solve(g, out, operands, wanted):
    a, b = operands
    if b.ndim == 1:
        g, out = g[..., None], out[..., None]
    gb = np.linalg.solve(_transposed(a), g)
    return -gb @ _transposed(out), gb[..., 0] if b.ndim == 1 else gb


def _determinant(g, out, operands, wanted):
    return g[..., None, None] * cofactors(operands[0], out),


def _sign_and_logarithm(g, out, operands, wanted):
    a, = operands
    of_logarithm = g.get(1, np.zeros(()))
    if 0 in g and a.dtype.kind == "c":  # the sign of a real determinant is piecewise constant
        of_logarithm = of_logarithm + 1j * (g[0] * out[0]).imag
    return of_logarithm[..., None, None] * _transposed(np.linalg.inv(a)),


@_in_conjugates
def _pseudo_inverse(g, out, operands, wanted, rcond=None, hermitian=False, rtol=None):
    """Golub and Pereyra, 1973: for matrices of locally constant rank."""
    a, = operands
    if hermitian:
        a = np.tril(a) + _adjoint(np.tril(a, -1))
    back, turned = _adjoint(out), _adjoint(g)
    made = -back @ g @ back + (turned - a @ (out @ turned)) @ out @ back + back @ out @ (turned - (turned @ out) @ a)
    return _of_lower_triangle(made) if hermitian else made,


def _condition(x, p=None):
    if p is None or p in (2, -2):
        values = np.linalg.svd(x, compute_uv=False)
        return values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


def _least_squares(a, b, rcond=None):
    if rcond is None:
        rcond = float(np.finfo(a.dtype).eps) * max(a.shape)
    x = np.linalg.pinv(a, rcond) @ b
    return x, np.sum(np.abs(b - a @ x) ** 2, 0, keepdims=b.ndim == 1), None, np.linalg.svd(a, compute_uv=False)


# ---- factorizations ------------------------------------------------------------------------------------


@_in_conjugates
def _cholesky(g, out, operands, wanted, upper=False):
    """Murray, 2016: eq. 10."""
    if upper:
        g, out = _adjoint(g), _adjoint(out)
    inner = _adjoint(out) @ np.tril(g)
    lower = np.tril(inner) - inner * (_eye(out) / 2)
    inverse = np.linalg.inv(out)
    made = _of_lower_triangle(_adjoint(inverse) @ lower @ inverse)
    return _adjoint(made) if upper else made,


@_in_conjugates
def _triangular(g, out, operands, wanted, mode="reduced"):
    """Walter and Lehmann, 2012; the columns after the square part of a wide matrix follow from the others."""
    a, = operands
    rows, columns = a.shape[-2:]
    if mode == "raw" or (mode == "complete" and rows > columns):
        raise vjp.NotDifferentiable(f"linalg.qr of {a.shape} with mode={mode!r} has no derivative")
    gq, gr = (None, g) if mode == "r" else (g.get(0), g.get(1))
    q, r = np.linalg.qr(a) if mode == "r" else out
    beside = None
    if rows < columns:
        r = r[..., :rows]
        if gr is not None:
            gr, behind = gr[..., :rows], gr[..., rows:]
            gq = (0 if gq is None else gq) + a[..., rows:] @ _adjoint(behind)
            beside = q @ behind
        else:
            beside = 0 * a[..., rows:]
    upper = np.triu((0 if gr is None else gr @ _adjoint(r)) - (0 if gq is None else _adjoint(q) @ gq))
    half = upper + _adjoint(upper)
    half = half - half * (_eye(half) / 2)
    made = q @ half + (0 if gq is None else gq)
    made = _adjoint(np.linalg.solve(r, _adjoint(made)))
    return made if beside is None else np.concatenate((made, beside), -1),


@_in_conjugates
def _singular(g, out, operands, wanted, full_matrices=True, compute_uv=True, hermitian=False):
    """Townsend, 2016; phases as in Boeddeker et al."""
    a, = operands
    rows, columns = a.shape[-2:]
    gu, gs, gv = (g.get(0), g.get(1), g.get(2)) if compute_uv else (None, g, None)
    if full_matrices and rows != columns and not (gu is None and gv is None):
        raise vjp.NotDifferentiable(f"linalg.svd of {a.shape} with full_matrices=True has no derivative")
    thin = compute_uv and (not full_matrices or rows == columns)
    u, s, v = out if thin else np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
    inner = 0 if gs is None else _on_diagonal(gs).astype(a.dtype)
    if gu is not None or gv is not None:
        squares, eye = s * s, np.eye(s.shape[-1])
        apart = squares[..., None, :] - squares[..., :, None] + eye
    if gu is not None:
        turned = _skew(_adjoint(u) @ gu)
        inner = inner + turned / apart * s[..., None, :] * (1 - eye)
        if a.dtype.kind == "c" and gv is not None:
            inner = inner + turned / (2 * s[..., None, :]) * eye
    if gv is not None:
        inner = inner + s[..., :, None] * (_skew(v @ _adjoint(gv)) / apart) * (1 - eye)
    made = u @ inner @ v
    if gu is not None and rows > columns:
        scaled = gu / s[..., None, :]
        made = made + (scaled - u @ (_adjoint(u) @ scaled)) @ v
    if gv is not None and rows < columns:
        scaled = gv / s[..., :, None]
        made = made + u @ (scaled - (scaled @ _adjoint(v)) @ v)
    return _of_lower_triangle(made) if hermitian else made,


def _skew(x):
    return x - _adjoint(x)


# ---- eigenvalues ---------------------------------------------------------------------------------------


@_in_conjugates
def _hermitian(g, out, operands, wanted, UPLO="L"):
    """Giles, 2008: section 3.1."""
    a, = operands
    values, vectors = out if isinstance(out, tuple) else np.linalg.eigh(a, UPLO)
    inner = 0
    if 1 in g:
        eye = np.eye(a.shape[-1], dtype=values.dtype)
        apart = values[..., None, :] - values[..., :, None] + eye
        inner = _adjoint(vectors) @ g[1] / apart * (1 - eye)
    if 0 in g:
        inner = inner + _on_diagonal(g[0])
    made = _of_lower_triangle(vectors @ inner @ _adjoint(vectors))
    return _adjoint(made) if UPLO in ("U", "u") else made,


@_in_conjugates
def _general(g, out, operands, wanted):
    """Boeddeker et al., 2017: eq. 4.77; eigenvectors have length 1."""
    values, vectors = out if isinstance(out, tuple) and len(out) == 2 else np.linalg.eig(operands[0])
    inner = 0
    if 1 in g:
        eye = np.eye(values.shape[-1])
        apart = (values[..., None, :] - values[..., :, None]).conj() + eye
        inner = _adjoint(vectors) @ g[1]
        lengths = np.sum(inner * eye, -2, keepdims=True).real
        inner = (inner - _adjoint(vectors) @ vectors * lengths) / apart * (1 - eye)
    if 0 in g:
        inner = inner + _on_diagonal(g[0])
    return np.linalg.solve(_adjoint(vectors), inner @ _adjoint(vectors)),


def _only_values(rule):
    return lambda g, out, operands, wanted, **options: rule(g if isinstance(g, dict) else {0: g}, out, operands, wanted,
                                                            **options)


for _name, _rule in {
    "inv": _inverse, "solve": _solve, "det": _determinant, "slogdet": _sign_and_logarithm, "pinv": _pseudo_inverse,
    "cond": by_composition(_condition), "lstsq": by_composition(_least_squares),
    "cholesky": _cholesky, "qr": _triangular, "svd": _singular,
    "svdvals": functools.partial(_singular, compute_uv=False),
    "eigh": _hermitian, "eigvalsh": _only_values(_hermitian), "eig": _general, "eigvals": _only_values(_general),
}.items():
    vjp.add_call_rule(f"linalg.{_name}", _rule)
