"""Linear algebra: opaque nodes for what LAPACK computes. What is made of that is composed in `numpy/composed.py`.

Mistakes of form (a matrix that is not square, a dtype without LAPACK routine) are raised at the call, as everywhere.
What only the values tell is raised by the evaluation: `LinAlgError` for a singular matrix, one that is not positive
definite, or an iteration that does not converge.

Two functions give a dtype or shape that depends on values, and run at once for that. `eig` and `eigvals` of a real
matrix are real if all eigenvalues are. `lstsq` gives residuals only for a full rank, if there are more equations than
unknowns.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.memory import learned_forms
from lazyarr.ops.opaque import at_once
from lazyarr.ops.operands import lazy, native
from lazyarr.ops.reduction import NoValue
from lazyarr.ops.registry import IMMEDIATE, OPAQUE, numpy_name, row

_FLAGS = (bool, int, float, str, type(None))


def _lapack(function, shapes, *operands, **options):
    """`function` of stacks of matrices as one opaque node.

    Parameters
    ----------
    function : callable
        One of NumPy's.
    shapes : callable
        The shapes of the results, from the shapes of the operands.
    operands : sequence of array_like
    options : dict
        Further arguments, by name.
    """
    arrays = [lazy(x) for x in operands]
    if not all(native(x.dtype) for x in arrays) or not all(isinstance(value, _FLAGS) for value in options.values()):
        return at_once(function, *arrays, **options)

    def run(*matrices):
        return function(*matrices, **options)

    name = numpy_name(function)
    # True and 1 are the same key, but not always the same option
    key = name, *[(option, type(value), value) for option, value in options.items()]
    kind, forms = learned_forms(key, run, arrays)
    specs = [(shape, form.dtype, form.axes)
             for shape, form in zip(shapes(*[x.shape for x in arrays]), forms, strict=True)]
    if kind is None:
        shape, dtype, axes = specs[0]
        results = [core.opaque(name, lambda *v: np.asarray(run(*v)), arrays, shape, dtype, axes)]
    else:
        results = core.opaque_multi(name, lambda *v: tuple(map(np.asarray, run(*v))), arrays, specs)
    results = [core.scalar(x) if form.scalar else x for x, form in zip(results, forms, strict=True)]
    return results[0] if kind is None else tuple(results) if kind is tuple else kind(*results)


def _stack(shape):
    return [shape[:-2]]


def _same(shape):
    return [shape]


def _vectors(shape):
    return [shape[:-1]]


def _values_and_vectors(shape):
    return [shape[:-1], shape]


def _singular_values(shape):
    return [(*shape[:-2], min(shape[-2:]))]


@row(np.linalg.solve, kind=OPAQUE)
def solve(a, b):
    """Solutions of linear equations, by LAPACK when evaluated."""
    def shapes(a, b):
        return [a[:-1] if len(b) == 1 else np.broadcast_shapes(a[:-2], b[:-2]) + b[-2:]]

    return _lapack(np.linalg.solve, shapes, a, b)


@row(np.linalg.inv, kind=OPAQUE)
def inv(a):
    """Inverses, by LAPACK when evaluated."""
    return _lapack(np.linalg.inv, _same, a)


@row(np.linalg.det, kind=OPAQUE)
def det(a):
    """Determinants, by LAPACK when evaluated."""
    return _lapack(np.linalg.det, _stack, a)


@row(np.linalg.slogdet, kind=OPAQUE)
def slogdet(a):
    """Signs and logarithms of determinants, by LAPACK when evaluated."""
    return _lapack(np.linalg.slogdet, lambda shape: [shape[:-2]] * 2, a)


@row(np.linalg.cond, kind=OPAQUE)
def cond(x, p=None):
    """Condition numbers, by LAPACK when evaluated."""
    return _lapack(np.linalg.cond, _stack, x, p=p)


@row(np.linalg.pinv, kind=OPAQUE)
def pinv(a, rcond=None, hermitian=False, *, rtol=NoValue):
    """Pseudo-inverses, by LAPACK when evaluated."""
    options = {} if rtol is NoValue else {"rtol": rtol}
    return _lapack(np.linalg.pinv, lambda shape: [(*shape[:-2], *shape[:-3:-1])], a, rcond=rcond, hermitian=hermitian,
                   **options)


@row(np.linalg.matrix_rank, kind=OPAQUE)
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Ranks, by LAPACK when evaluated; of vectors at once, as a Python number."""
    x = lazy(A)
    if x.ndim < 2:
        return at_once(np.linalg.matrix_rank, x, tol, hermitian, rtol=rtol)
    return _lapack(np.linalg.matrix_rank, _stack, x, tol=tol, hermitian=hermitian, rtol=rtol)


@row(np.linalg.cholesky, kind=OPAQUE)
def cholesky(a, /, *, upper=False):
    """Cholesky factors, by LAPACK when evaluated."""
    return _lapack(np.linalg.cholesky, _same, a, upper=upper)


@row(np.linalg.qr, kind=OPAQUE)
def qr(a, mode="reduced"):
    """QR factorizations, by LAPACK when evaluated."""
    if mode not in ("reduced", "complete", "r", "raw"):  # a mistake, or a deprecated name
        return at_once(np.linalg.qr, a, mode)

    def shapes(shape):
        *stack, m, n = shape
        k = min(m, n)
        return {"reduced": [(*stack, m, k), (*stack, k, n)], "complete": [(*stack, m, m), shape],
                "r": [(*stack, k, n)], "raw": [(*stack, n, m), (*stack, k)]}[mode]

    return _lapack(np.linalg.qr, shapes, a, mode=mode)


@row(np.linalg.svd, kind=OPAQUE)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decompositions, by LAPACK when evaluated."""
    def shapes(shape):
        *stack, m, n = shape
        k = min(m, n)
        if full_matrices:
            return [(*stack, m, m), (*stack, k), (*stack, n, n)]
        return [(*stack, m, k), (*stack, k), (*stack, k, n)]

    return _lapack(np.linalg.svd, shapes if compute_uv else _singular_values, a, full_matrices=full_matrices,
                   compute_uv=compute_uv, hermitian=hermitian)


@row(np.linalg.svdvals, kind=OPAQUE)
def svdvals(x, /):
    """Singular values, by LAPACK when evaluated."""
    return _lapack(np.linalg.svdvals, _singular_values, x)


@row(np.linalg.eigh, kind=OPAQUE)
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices, by LAPACK when evaluated."""
    return _lapack(np.linalg.eigh, _values_and_vectors, a, UPLO=UPLO)


@row(np.linalg.eigvalsh, kind=OPAQUE)
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices, by LAPACK when evaluated."""
    return _lapack(np.linalg.eigvalsh, _vectors, a, UPLO=UPLO)


@row(np.linalg.eig, kind=IMMEDIATE)
def eig(a):
    """Eigenvalues and eigenvectors: at once if real, since their dtype depends on the values; else when evaluated."""
    x = lazy(a)
    return _lapack(np.linalg.eig, _values_and_vectors, x) if x.dtype.kind == "c" else at_once(np.linalg.eig, x)


@row(np.linalg.eigvals, kind=IMMEDIATE)
def eigvals(a):
    """Eigenvalues: at once if the matrix is real, since their dtype depends on the values; else when evaluated."""
    x = lazy(a)
    return _lapack(np.linalg.eigvals, _vectors, x) if x.dtype.kind == "c" else at_once(np.linalg.eigvals, x)


@row(np.linalg.lstsq, kind=IMMEDIATE)
def lstsq(a, b, rcond=None):
    """Least squares: at once for more equations than unknowns, since residuals depend on the rank; else lazily."""
    x, y = lazy(a), lazy(b)
    if x.ndim != 2 or not x.size or not y.size or x.shape[0] > x.shape[1]:
        return at_once(np.linalg.lstsq, x, y, rcond)

    def shapes(a, b):
        return [(a[1], *b[1:]), (0,), (), (a[0],)]

    return _lapack(np.linalg.lstsq, shapes, x, y, rcond=rcond)
