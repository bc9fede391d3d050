"""Where the result of an opaque call will lie in memory, which must be known before the call runs.

Its strides are seen, and decide which later reshapes are views. For some functions NumPy's rule is simple: a sort lies
like a copy of its operand (`core.axes_copied`), an accumulation as NumPy's iterator walks it (`core.axes_iterated`).
Others, such as einsum or a Fourier transform, choose by rules of their own. These are tried out on small stand-ins,
whose axes lie in memory like those of the operands, once for each kind of operands. Linear algebra is tried out on
identity matrices, which tell the dtypes of its results as well and raise NumPy's errors.
"""
from typing import NamedTuple

import numpy as np

from lazyarr._core import api as core

_SMALL = 3  # long enough that no axis of a result shrinks to length 1
_MOST = 2000  # layouts remembered
_learned = {}


class Form(NamedTuple):
    """What is known of a result before it is computed, besides its shape."""

    dtype: np.dtype
    axes: tuple | None  # as they lie in memory, outermost first; None for C order
    scalar: bool        # a NumPy scalar, not a 0-d array


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
    if c_stays_c and not any(core.axes_copied(x) for x in operands):
        return None
    return learned_form(key, function, operands).axes


def learned_form(key, function, operands):
    """The dtype of function(*operands), its axes in memory, and whether it is a scalar; as `learned_axes`."""
    orders = [core.axes_copied(x) for x in operands]
    key = key, *map(_kind, operands, orders)
    try:
        return _learned[key]
    except KeyError:
        pass
    if len(_learned) >= _MOST:
        _learned.clear()
    with np.errstate(all="ignore"):
        found = _learned[key] = _form(function(*map(_stand_in, operands, orders)))
    return found


def learned_forms(key, function, operands):
    """What function(*operands) will give: the class of a tuple of results, None for a single one, and their forms.

    The function takes stacks of matrices. What it raises for their dtypes and shapes is raised here.

    Parameters
    ----------
    key : hashable
        Stands for the function.
    function : callable
        What the forms of its results depend on is which extents are equal or less than others, and which are 0 or 1.
    operands : sequence of LazyArray
    """
    ranks = {0: 0, 1: 1}
    for n in sorted({n for x in operands for n in x.shape}):
        ranks.setdefault(n, len(ranks))
    shapes = [tuple([ranks[n] for n in x.shape]) for x in operands]
    orders = [core.axes_copied(x) for x in operands]
    key = key, *[(x.dtype, order, shape, _signs(x)) for x, order, shape in zip(operands, orders, shapes, strict=True)]
    try:
        return _learned[key]
    except KeyError:
        pass
    if len(_learned) >= _MOST:
        _learned.clear()
    with np.errstate(all="ignore"):
        result = function(*map(_identities, operands, orders, shapes))
    if isinstance(result, tuple):
        found = type(result), tuple(map(_form, result))
    else:
        found = None, (_form(result),)
    _learned[key] = found
    return found


def _form(result):
    array = np.asarray(result)
    return Form(array.dtype, _memory_order(array), not isinstance(result, np.ndarray))


def _memory_order(array):
    order = tuple(sorted(range(array.ndim), key=lambda axis: -array.strides[axis]))
    return None if order == tuple(range(array.ndim)) else order


def _kind(x, order):
    return x.dtype, order, tuple([min(n, _SMALL) for n in x.shape]), _signs(x)


def _signs(x):
    return tuple([(s > 0) - (s < 0) for s in x.strides])


def _dense(x, order, shape, signs, value):
    """An array of x's dtype whose axes lie in memory in this order, of length 1 where x is broadcast."""
    order = range(x.ndim) if order is None else order
    dense = np.full([shape[axis] if signs[axis] else 1 for axis in order], value, x.dtype)
    return dense.transpose(np.argsort(order).astype(int))


def _stand_in(x, order):
    """A small array of ones; broadcast and reversed where x is."""
    small, signs = [min(n, _SMALL) for n in x.shape], _signs(x)
    turned = _dense(x, order, small, signs, 1)
    turned = turned[tuple([slice(None, None, -1 if sign < 0 else 1) for sign in signs])]
    return np.broadcast_to(turned, small)


def _identities(x, order, shape):
    """A stack of small identity matrices; broadcast where x is, but for the last two axes."""
    signs = (*_signs(x)[:-2], 1, 1)[-x.ndim:] if x.ndim else ()
    turned = _dense(x, order, shape, signs, 1 if x.ndim < 2 else 0)
    if x.ndim >= 2:
        turned[...] = np.eye(*shape[-2:], dtype=x.dtype)
    return np.broadcast_to(turned, shape)
