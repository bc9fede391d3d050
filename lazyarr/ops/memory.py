"""Where the result of an opaque call will lie in memory, which must be known before the call runs.

Its strides are seen, and decide which later reshapes are views. For some functions NumPy's rule is simple: a sort lies
like a copy of its operand (`core.axes_copied`), an accumulation as NumPy's iterator walks it (`core.axes_iterated`).
Others, such as einsum or a Fourier transform, choose by rules of their own. These are tried out on small stand-ins,
whose axes lie in memory like those of the operands, once for each kind of operands.
"""
import numpy as np

from lazyarr._core import api as core

_SMALL = 3  # long enough that no axis of a result shrinks to length 1
_MOST = 2000  # layouts remembered
_learned = {}


def learned_axes(key, function, operands, c_stays_c=True):
    """The axes of function(*operands) as they will lie in memory.

    Parameters
    ----------
    key : hashable
        Stands for the function.
    function : callable
        Must take operands with any extents, as long as those that are equal stay equal.
    operands : sequence of LazyArray
    c_stays_c : bool, optional
        Whether operands in C order give a result in C order.

    Returns
    -------
    tuple of int or None
        The axes, outermost first; None for C order.
    """
    orders = [core.axes_copied(x) for x in operands]
    if c_stays_c and not any(orders):
        return None
    key = key, *map(_kind, operands, orders)
    try:
        return _learned[key]
    except KeyError:
        pass
    if len(_learned) >= _MOST:
        _learned.clear()
    with np.errstate(all="ignore"):
        result = np.asarray(function(*map(_stand_in, operands, orders)))
    order = tuple(sorted(range(result.ndim), key=lambda axis: -result.strides[axis]))
    found = _learned[key] = None if order == tuple(range(result.ndim)) else order
    return found


def _kind(x, order):
    return x.dtype, order, *[(min(n, _SMALL), (s > 0) - (s < 0)) for n, s in zip(x.shape, x.strides, strict=True)]


def _stand_in(x, order):
    """A small array of x's dtype whose axes lie in memory in this order; broadcast and reversed where x is."""
    order = range(x.ndim) if order is None else order
    small = [min(n, _SMALL) for n in x.shape]
    dense = np.ones([1 if x.strides[axis] == 0 else small[axis] for axis in order], x.dtype)
    turned = dense.transpose(np.argsort(order).astype(int))
    turned = turned[tuple([slice(None, None, -1 if s < 0 else 1) for s in x.strides])]
    return np.broadcast_to(turned, small)
