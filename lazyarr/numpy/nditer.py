"""`numpy.nditer`: NumPy's iterator, on the memory of the LazyArrays that it writes to."""
from itertools import zip_longest

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.opaque import note_immediate
from lazyarr.ops.operands import LazyArray, find_lazy, values

_WRITING = frozenset({"readwrite", "writeonly"})


class _IteratorType(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, np.nditer)


class nditer(metaclass=_IteratorType):
    """NumPy's iterator over evaluated arrays; calling this makes a `numpy.nditer`.

    A LazyArray that is written to changes as the iteration goes on. What is computed from the whole array meanwhile is
    undefined until it has ended.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(3)
    >>> with la.nditer(x, op_flags=["readwrite"]) as iterator:
    ...     for element in iterator:
    ...         element[...] = 2 * element
    >>> x
    array([0, 2, 4])
    """

    def __new__(cls, op, flags=None, op_flags=None, *args, **kwargs):
        if find_lazy([op]):
            note_immediate("nditer")
        operands = list(op) if isinstance(op, list | tuple) else [op]
        each = op_flags or ()
        shared = not each or isinstance(each[0], str)
        operands = [_memory(x) if _written(x, own) else values(x) for x, own in
                    zip_longest(operands, [each] * len(operands) if shared else each[:len(operands)], fillvalue=())]
        given = operands if isinstance(op, list | tuple) else operands[0]
        return np.nditer(given, flags or [], op_flags, *args, **kwargs)


def _written(x, flags):
    return isinstance(x, LazyArray) and x._writeable and not _WRITING.isdisjoint(flags)


def _memory(x):
    return core.mutate(x, lambda array: array)
