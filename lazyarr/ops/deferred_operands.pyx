"""Operands that defer calls: variables of symbolic graphs, which have no arrays yet.

They are searched for natively, since every call of lazyarr's functions and layers does so.
"""
from lazyarr._core.frontend.lazy_array cimport LazyArray

import numpy as np

# Types of arguments that neither are deferred nor contain deferred ones: most calls have only these.
cdef set _PLAIN = {LazyArray, np.ndarray, int, float, bool, str, type(None)}


class Deferred:
    """An operand that defers calls: no array yet."""

    def computed(self, name, function, *args, **kwargs):
        """Return the symbol of a call's result, stored under `name`."""
        raise NotImplementedError

    def can_pass(self, layer):
        """Return whether the calls inside a layer can be deferred separately."""
        raise NotImplementedError

    def converted(self, dtype, copies):
        """Return the symbol of NumPy's `asarray`, or `array`, of it."""
        raise NotImplementedError


cpdef object deferred_among(object values):
    """Return the first `Deferred` among values and nested lists, tuples and dicts; None if there is none."""
    for x in values:
        if type(x) in _PLAIN:
            continue
        if isinstance(x, Deferred):
            return x
        if isinstance(x, (list, tuple)):
            found = deferred_among(x)
        elif isinstance(x, dict):
            found = deferred_among(x.values())
        else:
            continue
        if found is not None:
            return found
    return None
