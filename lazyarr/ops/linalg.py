"""Linear algebra: opaque nodes for LAPACK functions. `numpy/rebound_numpy_code.py` composes the rest.

Invalid shapes or dtypes raise at the call, as everywhere. Value-dependent errors are raised by the evaluation:
`LinAlgError` for a singular matrix, one that is not positive definite, or an iteration that does not converge.

Two functions run at once because a dtype or shape depends on values: `eig` and `eigvals` of a real matrix are real if
all eigenvalues are, and `lstsq` returns residuals only for full rank and more equations than unknowns.
"""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control.subgraph import reads_traced
from lazyarr._core.transforms import vjp
from lazyarr.compat import EIGENVALUES_ARE_COMPLEX
from lazyarr.ops import linalg_there
from lazyarr.ops.numpy_fallback import at_once
from lazyarr.ops.opaque_rows import lower_call, opaque_row
from lazyarr.ops.operands import LazyArray, cast, lazy, values
from lazyarr.ops.table import IMMEDIATE, OPAQUE, numpy_name, row

_lapack = functools.partial(lower_call, matrices=True)
for _function, _count, _made in (
    (np.linalg.solve, 2, "Solutions of linear equations"),
    (np.linalg.inv, 1, "Inverses"),
    (np.linalg.pinv, 1, "Pseudo-inverses"),
    (np.linalg.det, 1, "Determinants"),
    (np.linalg.slogdet, 1, "Signs and logarithms of determinants"),
    (np.linalg.cond, 1, "Condition numbers"),
    (np.linalg.cholesky, 1, "Cholesky factors"),
    (np.linalg.svd, 1, "Singular value decompositions"),
    (np.linalg.svdvals, 1, "Singular values"),
    (np.linalg.eigh, 1, "Eigenvalues and eigenvectors of symmetric matrices"),
    (np.linalg.eigvalsh, 1, "Eigenvalues of symmetric matrices"),
):
    opaque_row(_function, _count, f"{_made}, by LAPACK when evaluated.", matrices=True,
               there=functools.partial(linalg_there.steps, _function) if _function in linalg_there.STEPS else None)


def _at_once(function, *operands, **options):
    """Call `function` at once; while history is kept, as a lazy call, now that the forms of its results are known."""
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


@row(np.linalg.matrix_rank, kind=OPAQUE)
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Ranks, by LAPACK when evaluated; of vectors at once, as a Python number."""
    x = lazy(A)
    if x.ndim < 2:
        return at_once(np.linalg.matrix_rank, x, tol, hermitian, rtol=rtol)
    made = linalg_there.steps(np.linalg.matrix_rank, x, tol, hermitian, rtol=rtol)
    if made is not NotImplemented:
        return made
    return _lapack(np.linalg.matrix_rank, x, tol=tol, hermitian=hermitian, rtol=rtol)


@row(np.linalg.qr, kind=OPAQUE)
def qr(a, mode="reduced"):
    """QR factorizations, by LAPACK when evaluated."""
    if mode not in ("reduced", "complete", "r", "raw"):  # an error, or a deprecated name
        return at_once(np.linalg.qr, a, mode)
    return _lapack(np.linalg.qr, a, mode=mode)


def _add_eigen(function, what):
    """Register np.linalg.eig or eigvals; while tracing, a real matrix counts as complex."""
    def eigen(a):
        if EIGENVALUES_ARE_COMPLEX:
            return _lapack(function, a)
        x = lazy(a)
        if x.dtype.kind in "biuf" and vjp.is_history_kept() and reads_traced([x]):
            x = cast(x, np.result_type(x.dtype, np.complex64))
        return _lapack(function, x) if x.dtype.kind == "c" else _at_once(function, x)

    row(function, kind=OPAQUE if EIGENVALUES_ARE_COMPLEX else IMMEDIATE,
        sentence=f"{what}, by LAPACK when evaluated; at once where their dtype depends on the values.")(eigen)


_add_eigen(np.linalg.eig, "Eigenvalues and eigenvectors")
_add_eigen(np.linalg.eigvals, "Eigenvalues")


@row(np.linalg.lstsq, kind=IMMEDIATE)
def lstsq(a, b, rcond=None):
    """Least squares: at once for more equations than unknowns, since residuals depend on the rank; else lazily."""
    x, y = lazy(a), lazy(b)
    made = linalg_there.steps(np.linalg.lstsq, x, y, rcond)
    if made is not NotImplemented:
        return made
    if x.ndim != 2 or not x.size or not y.size or x.shape[0] > x.shape[1]:
        if not reads_traced([x, y]) or isinstance(rcond, LazyArray | np.ndarray):
            return _at_once(np.linalg.lstsq, x, y, rcond=rcond)
        return _lapack(_of_full_rank(rcond), x, y)
    return _lapack(np.linalg.lstsq, x, y, rcond=rcond)


@functools.cache
def _of_full_rank(rcond):
    """Return least squares with residuals as for full rank, whatever the rank."""
    def lstsq(a, b):
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)
        if not residuals.size:
            residuals = np.atleast_1d(np.sum(np.abs(b - a @ x) ** 2, 0))
        return x, residuals, rank, s

    lstsq.__module__, lstsq.keywords = "numpy.linalg", {"rcond": rcond}
    return lstsq
