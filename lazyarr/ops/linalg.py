"""Linear algebra: opaque nodes for what LAPACK computes. `numpy/rebound_numpy_code.py` composes the rest.

Mistakes of form (a matrix that is not square, a dtype without LAPACK routine) are raised at the call, as everywhere.
Errors that depend on values are raised by the evaluation: `LinAlgError` for a singular matrix, one that is not positive
definite, or an iteration that does not converge.

Two functions give a dtype or shape that depends on values, and run at once for that. `eig` and `eigvals` of a real
matrix are real if all eigenvalues are. `lstsq` gives residuals only for a full rank, if there are more equations than
unknowns.
"""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control.subgraph import reads_traced
from lazyarr._core.transforms import vjp
from lazyarr.compat import EIGENVALUES_ARE_COMPLEX
from lazyarr.ops.forms import lower
from lazyarr.ops.numpy_fallback import at_once
from lazyarr.ops.operands import LazyArray, cast, lazy, native, values
from lazyarr.ops.reduction import NoValue
from lazyarr.ops.table import IMMEDIATE, OPAQUE, numpy_name, row

_FLAGS = (bool, int, float, str, type(None))


def _lapack(function, *operands, **options):
    """`function` of stacks of matrices as one opaque node.

    Parameters
    ----------
    function : callable
        One of NumPy's.
    operands : sequence of array_like
    options : dict
        Further arguments, by name.
    """
    arrays = [lazy(x) for x in operands]
    if not all(native(x.dtype) for x in arrays) or not all(isinstance(value, _FLAGS) for value in options.values()):
        return at_once(function, *arrays, **options)
    # True and 1 are the same key, but not always the same option
    key = function, *[(option, type(value), value) for option, value in options.items()]
    return lower(key, functools.partial(function, **options), arrays, numpy_name(function), matrices=True)


def _at_once(function, *operands, **options):
    """`function` at once; while history is kept, as a call that waits, now that the forms of its results are known."""
    made = at_once(function, *operands, **options)
    if not vjp.is_history_kept():
        return made
    results = made if isinstance(made, tuple) else (made,)
    specs = [(x.shape, x.dtype) for x in map(np.asarray, values(list(results)))]
    waiting = core.opaque_multi(numpy_name(function), _as_tuple(functools.partial(function, **options)),
                                list(map(lazy, operands)), specs)
    waiting = [x if isinstance(found, LazyArray) else core.scalar(x) for x, found in zip(waiting, results, strict=True)]
    return type(made)._make(waiting) if hasattr(made, "_make") else tuple(waiting) if made is results else waiting[0]


def _as_tuple(function):
    def several(*arrays):
        made = function(*arrays)
        return made if isinstance(made, tuple) else (made,)

    several.keywords = function.keywords
    return several


@row(np.linalg.solve, kind=OPAQUE)
def solve(a, b):
    """Solutions of linear equations, by LAPACK when evaluated."""
    return _lapack(np.linalg.solve, a, b)


@row(np.linalg.inv, kind=OPAQUE)
def inv(a):
    """Inverses, by LAPACK when evaluated."""
    return _lapack(np.linalg.inv, a)


@row(np.linalg.det, kind=OPAQUE)
def det(a):
    """Determinants, by LAPACK when evaluated."""
    return _lapack(np.linalg.det, a)


@row(np.linalg.slogdet, kind=OPAQUE)
def slogdet(a):
    """Signs and logarithms of determinants, by LAPACK when evaluated."""
    return _lapack(np.linalg.slogdet, a)


@row(np.linalg.cond, kind=OPAQUE)
def cond(x, p=None):
    """Condition numbers, by LAPACK when evaluated."""
    return _lapack(np.linalg.cond, x, p=p)


@row(np.linalg.pinv, kind=OPAQUE)
def pinv(a, rcond=None, hermitian=False, *, rtol=NoValue):
    """Pseudo-inverses, by LAPACK when evaluated."""
    options = {} if rtol is NoValue else {"rtol": rtol}
    return _lapack(np.linalg.pinv, a, rcond=rcond, hermitian=hermitian, **options)


@row(np.linalg.matrix_rank, kind=OPAQUE)
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Ranks, by LAPACK when evaluated; of vectors at once, as a Python number."""
    x = lazy(A)
    if x.ndim < 2:
        return at_once(np.linalg.matrix_rank, x, tol, hermitian, rtol=rtol)
    return _lapack(np.linalg.matrix_rank, x, tol=tol, hermitian=hermitian, rtol=rtol)


@row(np.linalg.cholesky, kind=OPAQUE)
def cholesky(a, /, *, upper=False):
    """Cholesky factors, by LAPACK when evaluated."""
    return _lapack(np.linalg.cholesky, a, upper=upper)


@row(np.linalg.qr, kind=OPAQUE)
def qr(a, mode="reduced"):
    """QR factorizations, by LAPACK when evaluated."""
    if mode not in ("reduced", "complete", "r", "raw"):  # a mistake, or a deprecated name
        return at_once(np.linalg.qr, a, mode)
    return _lapack(np.linalg.qr, a, mode=mode)


@row(np.linalg.svd, kind=OPAQUE)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """Singular value decompositions, by LAPACK when evaluated."""
    return _lapack(np.linalg.svd, a, full_matrices=full_matrices, compute_uv=compute_uv, hermitian=hermitian)


@row(np.linalg.svdvals, kind=OPAQUE)
def svdvals(x, /):
    """Singular values, by LAPACK when evaluated."""
    return _lapack(np.linalg.svdvals, x)


@row(np.linalg.eigh, kind=OPAQUE)
def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of symmetric matrices, by LAPACK when evaluated."""
    return _lapack(np.linalg.eigh, a, UPLO=UPLO)


@row(np.linalg.eigvalsh, kind=OPAQUE)
def eigvalsh(a, UPLO="L"):
    """Eigenvalues of symmetric matrices, by LAPACK when evaluated."""
    return _lapack(np.linalg.eigvalsh, a, UPLO=UPLO)


def _eigen(function, a):
    """`function` of a complex matrix; a real one counts as complex while a graph is traced without values."""
    if EIGENVALUES_ARE_COMPLEX:
        return _lapack(function, a)
    x = lazy(a)
    if x.dtype.kind in "biuf" and vjp.is_history_kept() and reads_traced([x]):
        x = cast(x, np.result_type(x.dtype, np.complex64))
    return _lapack(function, x) if x.dtype.kind == "c" else _at_once(function, x)


@row(np.linalg.eig, kind=OPAQUE if EIGENVALUES_ARE_COMPLEX else IMMEDIATE)
def eig(a):
    """Eigenvalues and eigenvectors, by LAPACK when evaluated; at once where their dtype depends on the values."""
    return _eigen(np.linalg.eig, a)


@row(np.linalg.eigvals, kind=OPAQUE if EIGENVALUES_ARE_COMPLEX else IMMEDIATE)
def eigvals(a):
    """Eigenvalues, by LAPACK when evaluated; at once where their dtype depends on the values."""
    return _eigen(np.linalg.eigvals, a)


@row(np.linalg.lstsq, kind=IMMEDIATE)
def lstsq(a, b, rcond=None):
    """Least squares: at once for more equations than unknowns, since residuals depend on the rank; else lazily."""
    x, y = lazy(a), lazy(b)
    if x.ndim != 2 or not x.size or not y.size or x.shape[0] > x.shape[1]:
        if not isinstance(rcond, _FLAGS) or not reads_traced([x, y]):
            return _at_once(np.linalg.lstsq, x, y, rcond=rcond)
        return _lapack(_of_full_rank(rcond), x, y)
    return _lapack(np.linalg.lstsq, x, y, rcond=rcond)


@functools.cache
def _of_full_rank(rcond):
    """Least squares that give residuals as of a full rank, whatever it is."""
    def lstsq(a, b):
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)
        if not residuals.size:
            residuals = np.atleast_1d(np.sum(np.abs(b - a @ x) ** 2, 0))
        return x, residuals, rank, s

    lstsq.__module__, lstsq.keywords = "numpy.linalg", {"rcond": rcond}
    return lstsq
