"""Linear algebra on devices: NumPy's steps around a singular value decomposition."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.control.subgraph import reads_traced
from lazyarr.ops.numpy_fallback import note_immediate
from lazyarr.ops.operands import cast, is_lazy, on_accelerator
from lazyarr.ops.true_places import is_there

_DOUBLE = np.dtype(float)


def steps(function, a, *args, **kwargs):
    """Call `function` on a matrix or a stack on a device; NotImplemented for what only LAPACK provides."""
    if not is_there(a) or a.ndim < 2 or not a.size or any(map(is_lazy, kwargs.values())) \
            or not all(is_lazy(x) is (k == 0 and function is np.linalg.lstsq) for k, x in enumerate(args)):
        return NotImplemented
    return STEPS[function](a, *args, **kwargs)


def _pinv(a, rcond=None, hermitian=False, *, rtol=np._NoValue):
    if rcond is not None and rtol is not np._NoValue:
        return NotImplemented   # a mistake
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else _rounding(a) if rtol is None else rtol
    u, s, vt = np.linalg.svd(np.conjugate(a), full_matrices=False, hermitian=hermitian)
    large = s > np.asarray(rcond)[..., np.newaxis] * np.max(s, -1, keepdims=True)
    with np.errstate(all="ignore"):     # flags of unused values
        s = np.where(large, 1 / s, np.zeros((), s.dtype))
    return np.matmul(np.matrix_transpose(vt), s[..., np.newaxis] * np.matrix_transpose(u))


def _rounding(a):
    """Return the relative bound below which NumPy treats singular values as 0."""
    return max(a.shape[-2:]) * np.finfo(a.dtype if a.dtype.kind in "fc" else _DOUBLE).eps


def _cond(x, p=None):
    if p not in (None, 2, -2):
        return NotImplemented
    s = np.linalg.svd(x, compute_uv=False)
    with np.errstate(all="ignore"):
        ratio = s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    known = ~np.isnan(x).any((-2, -1))
    return np.where(np.isnan(ratio) & known, np.array(np.inf, ratio.dtype), ratio)[()]


def _matrix_rank(a, tol=None, hermitian=False, *, rtol=None):
    if tol is not None and rtol is not None:
        return NotImplemented   # a mistake
    s = np.linalg.svd(a, compute_uv=False, hermitian=hermitian)
    if tol is None:
        rtol = max(a.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else np.asarray(rtol)[..., np.newaxis]
        tol = s.max(-1, keepdims=True, initial=0) * rtol
    else:
        tol = np.asarray(tol)[..., np.newaxis]
    return np.count_nonzero(s > tol, -1)


def _lstsq(a, b, rcond=None):
    """Solve in double precision, like LAPACK; the rank is read, as it decides whether there are residuals."""
    fits = a.ndim == 2 and b.ndim in (1, 2) and b.shape[0] == a.shape[0] and b.size and on_accelerator(b)
    if not fits or not core.Kernel.accept(a, b) or any(x.dtype.char in "eg" for x in (a, b)):
        return NotImplemented
    if a.shape[0] > a.shape[1] and reads_traced([a, b]):
        return NotImplemented
    result = np.result_type(a.dtype, b.dtype, np.float32 if {a.dtype.char, b.dtype.char} <= set("fF") else _DOUBLE)
    within = np.result_type(result, _DOUBLE)
    real = np.empty(0, result).real.dtype
    (m, n), eps = a.shape, np.finfo(_DOUBLE).eps
    rcond = eps * max(m, n) if rcond is None else eps if rcond < 0 else rcond
    a, columns = cast(a, within), cast(b, within).reshape(m, -1)
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    kept = s > rcond * s[0]
    scaled = np.conjugate(u.T) @ columns / np.where(kept, s, 1)[:, np.newaxis]
    x = np.conjugate(vt.T) @ np.where(kept[:, np.newaxis], scaled, 0)
    rank = np.count_nonzero(kept)
    if m > n:
        note_immediate("linalg.lstsq")
    residuals = core.empty((0,), real, beside=[a])
    if m > n and int(rank) == n:
        residuals = cast((np.abs(columns - a @ x) ** 2).sum(0), real)
    x = cast(x, result)
    return x.reshape(n) if b.ndim == 1 else x, residuals, rank.astype(np.int32), cast(s, real)


STEPS = {np.linalg.pinv: _pinv, np.linalg.cond: _cond, np.linalg.matrix_rank: _matrix_rank, np.linalg.lstsq: _lstsq}
"""Functions with their implementations on devices."""
