"""The cardinal sine, sin(pi x) / (pi x), with derivatives that stay accurate near zero, where the quotient's cancel."""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.transforms import vjp
from lazyarr.numpy.rebound_numpy_code import composed
from lazyarr.ops.operands import LazyArray, lazy
from lazyarr.ops.table import NATIVE, Op, add, mirror

_values = composed(np.sinc)
_SMALL = 0.3
_COEFFICIENTS = [1 / 6227020800, -1 / 39916800, 1 / 362880, -1 / 5040, 1 / 120, -1 / 6]


def sinc(x):
    """Compute NumPy's values; near zero, differentiate seven terms of the Taylor polynomial instead."""
    made = _values(x)
    if not isinstance(made, LazyArray) or made.dtype.kind != "f":  # the sum below might change the sign of a zero
        return made
    x = np.pi * lazy(x)
    small = np.abs(x) < _SMALL
    square = np.where(small, x, 0)
    square = square * square
    series = square * functools.reduce(lambda total, factor: total * square + factor, _COEFFICIENTS)
    known = np.where(small, vjp.stop(made) + (series - vjp.stop(series)), made)
    return core.scalar(known) if made._scalar else known


add(Op("sinc", mirror(sinc, np.sinc), (np.sinc,), NATIVE,
       doc="NumPy's own Python code, each operation of which is lazy."))
