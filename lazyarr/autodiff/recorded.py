"""What is computed at once when nothing is recorded, composed of operations that have derivatives."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.opaque import RECORDED
from lazyarr.ops.operands import lazy


def _bincount(x, /, weights=None, minlength=0):
    x = lazy(x)
    counts = np.bincount(x.numpy(), None, minlength)
    if weights is None:
        return core.from_numpy(counts)
    made = core.full(counts.shape, 0, np.dtype(float))
    np.add.at(made, x, lazy(weights).astype(float))
    return made


def _polymul(a1, a2):
    first, second = [np.trim_zeros(np.atleast_1d(lazy(a)), "f") for a in (a1, a2)]
    return np.convolve(first, second)


RECORDED |= {np.bincount: _bincount, np.polymul: _polymul}
