"""The logarithm of a sum of exponentials, which cannot overflow."""
import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.arguments import operand
from lazyarr.ops.deferred_dispatch import named
from lazyarr.ops.operands import as_array, cast, lazy
from lazyarr.ops.reduction import max as largest
from lazyarr.ops.reduction import reduced_axes, reduced_shape
from lazyarr.ops.reduction import sum as total

_DOUBLE = np.dtype(float)
_SINGLE = np.dtype(np.float32)


@named("logsumexp")
def logsumexp(x, axis=None, keepdims=False):
    """Compute log(sum(exp(x))) over axes without overflow, in two passes over x that fuse with its computation.

    The first pass finds the largest real part, the second sums exp(x - largest). The absolute error is that of the sum
    of n numbers between 0 and 1, relative to the largest, and of one rounding of the result.

    Parameters
    ----------
    x : array_like
        Of any numeric dtype. Integers and bools count as float64; float16 is computed in float32.
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool, optional
        Whether the result keeps the axes, with length 1.

    Returns
    -------
    LazyArray
        NaN where there is a NaN; inf where there is an inf and no NaN; -inf where all elements are -inf, or where there
        are none. Of complex numbers the logarithm's principal value; infinities are for real ones.

    Raises
    ------
    TypeError
        For a dtype that is not numeric.
    numpy.exceptions.AxisError
        For an axis that x does not have.

    Examples
    --------
    >>> la.logsumexp(la.array([[1000.0, 1000.0], [0.0, -la.inf]]), axis=1)
    array([1000.69314718,    0.        ])
    """
    x = operand(x, "logsumexp: x")
    given = x.dtype.newbyteorder("=")
    working = _DOUBLE if given.kind in "biu" else _SINGLE if given == np.float16 else given
    x, keepdims = cast(x, working), bool(keepdims)
    axes = reduced_axes(np.add, axis, x)
    real = x.real if working.kind == "c" else x
    if x.size:
        shift = as_array(largest(real, axes, None, True))
        # Where the largest is infinite or NaN, exp alone gives the result.
        shift = core.select(core.ufunc(np.isfinite, (shift,)), shift, lazy(np.zeros((), shift.dtype)))
    else:
        shift = core.full(reduced_shape(x.shape, axes, True), 0, real.dtype)
    with np.errstate(divide="ignore", under="ignore"):  # terms that vanish; log(0)
        terms = total(core.ufunc(np.exp, (core.ufunc(np.subtract, (x, shift)),)), axes, None, None, keepdims)
        result = core.ufunc(np.log, (terms,))
    if not keepdims:
        shift = shift.reshape(result.shape)
    result = core.ufunc(np.add, (result, shift))
    return cast(result, given) if given == np.float16 else result
