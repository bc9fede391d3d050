"""Operands that put a call off: variables of symbolic graphs, for which there are no arrays yet.

They are looked for natively, as every call of a function of our own and of a layer has it done.
"""
from lazyarr._core.frontend.lazy_array cimport LazyArray

import numpy as np

# Types of arguments that cannot be deferred nor hold what can be: most calls have no other types.
cdef set _PLAIN = {LazyArray, np.ndarray, int, float, bool, str, type(None)}


class Deferred:
    """An operand that defers calls: not an array yet."""

    def computed(self, name, function, *args, **kwargs):
        """The symbol for the result of a call that has this as an operand and is stored under `name`."""
        raise NotImplementedError

    def can_pass(self, layer):
        """Whether the calls that a layer makes can be deferred separately."""
        raise NotImplementedError

    def converted(self, dtype, copies):
        """The symbol for the array that NumPy's `asarray`, or `array`, makes of it."""
        raise NotImplementedError


cpdef object deferred_among(object values):
    """The first `Deferred` among values, and what is in lists, tuples and dicts of these; None if there is none."""
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
