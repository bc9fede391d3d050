"""Values between knots."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.ops.concatenation import concatenate
from lazyarr.ops.opaque_rows import opaque_row
from lazyarr.ops.operands import LazyArray, cast, lazy, on_accelerator
from lazyarr.ops.sorting import argsort
from lazyarr.ops.true_places import lines_at

_DOUBLE = np.dtype(float)


def _interp(x, xp, fp, left=None, right=None, period=None):
    """Interpolate periodically, as NumPy does: reduce knots to one period, sort them, and extend them at both ends."""
    given = [x, xp, fp]
    if not isinstance(period, int | float) or not period or vjp.is_history_kept() \
            or not any(isinstance(one, LazyArray) and on_accelerator(one) for one in given):
        return NotImplemented
    arrays = [lazy(one) for one in given]
    if any(array.dtype.kind not in "biuf" or array.dtype.char == "g" for array in arrays) \
            or arrays[1].ndim != 1 or arrays[1].shape != arrays[2].shape or not arrays[1].size:
        return NotImplemented
    period = abs(period)
    x, xp, fp = [cast(array, _DOUBLE) for array in arrays]
    x, xp = [core.ufunc(np.remainder, (array, period)) for array in (x, xp)]
    order = argsort(xp)
    xp, fp = lines_at(xp, order), lines_at(fp, order)
    xp = concatenate((xp[-1:] - period, xp, xp[0:1] + period))
    return np.interp(x, xp, concatenate((fp[-1:], fp, fp[0:1])))


opaque_row(np.interp, 3, "Piecewise linear interpolation, by NumPy when evaluated.", there=_interp)
