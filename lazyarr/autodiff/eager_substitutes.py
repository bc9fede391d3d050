"""Differentiable compositions for functions that run at once when no history is kept."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.numpy_fallback import RECORDED
from lazyarr.ops.operands import lazy


def _bincount(x, /, weights=None, minlength=0):
    x = lazy(x)
    counts = np.bincount(x.numpy(), None, minlength)
    if weights is None:
        return core.from_numpy(counts)
    made = core.full(counts.shape, 0, np.dtype(float))
    np.add.at(made, x, lazy(weights).astype(float))
    return made


def _coefficients(a):
    """Coefficients as `np.poly1d` keeps them: without leading zeros, except for the last coefficient."""
    a = np.atleast_1d(lazy(a))
    kept = np.trim_zeros(a, "f")
    return kept if kept.size else a[-1:] if a.size else core.full((1,), 0, a.dtype)


RECORDED |= {np.bincount: _bincount,
             np.polymul: lambda a1, a2: np.convolve(_coefficients(a1), _coefficients(a2))}
