"""Rows of functions that NumPy computes on evaluation, whatever their other arguments."""
import functools
import inspect

import numpy as np

from lazyarr.ops.forms import lower
from lazyarr.ops.numpy_fallback import at_once
from lazyarr.ops.operands import lazy
from lazyarr.ops.table import OPAQUE, numpy_name, row

DESCRIBED = []
"""Names of functions whose calls are all described by their operands and keywords."""

_PLAIN = (bool, int, float, complex, str, np.generic, type(None))


def lower_call(function, *operands, matrices=False, **options):
    """Return `function` of operands as one opaque node; call it at once for unsupported operands or options.

    `matrices` is that of `forms.lower`.
    """
    arrays = [lazy(x) for x in operands]
    options = {option: value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
               for option, value in options.items()}
    takes = all(x.dtype.kind in "biufc" and (x.dtype.isnative or not matrices) for x in arrays)
    if not takes or not all(isinstance(value, _PLAIN) for value in options.values()):
        return at_once(function, *arrays, **options)
    # True and 1 are the same key, but not always the same option
    key = function, *[(option, type(value), value) for option, value in options.items()]
    return lower(key, functools.partial(function, **options), arrays, numpy_name(function), matrices)


def opaque_row(function, count, sentence, matrices=False, there=None):
    """Register NumPy's `function`, whose first `count` parameters are its operands.

    `there` implements it on accelerators; it returns NotImplemented for what is left to NumPy.
    """
    signature = inspect.signature(function)
    operands = list(signature.parameters)[:count]

    def public(*args, **kwargs):
        made = NotImplemented if there is None else there(*args, **kwargs)
        if made is not NotImplemented:
            return made
        given = signature.bind(*args, **kwargs).arguments
        return lower_call(function, *map(given.pop, operands), matrices=matrices, **given)

    public.__signature__ = signature
    DESCRIBED.append(numpy_name(function))
    row(function, kind=OPAQUE, sentence=sentence)(public)
