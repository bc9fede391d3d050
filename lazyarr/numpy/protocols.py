"""NumPy's dispatch protocols: what `np.sum(lazy)`, `np.add.reduce(lazy)` and `lazy[mask]` lead to."""
from collections.abc import Sequence

import numpy as np

from lazyarr._core import api as core
from lazyarr.numpy.namespace import face_function
from lazyarr.numpy.record_scalars import row
from lazyarr.ops import assignment, call, indexing  # noqa: F401 - call registers its hooks itself
from lazyarr.ops.operands import LazyArray, find_lazy, map_lazy, values

_OURS = frozenset({LazyArray, np.ndarray})


def array_function(func, types, args, kwargs):
    """`LazyArray.__array_function__`: the row of a NumPy function, or the function called at once.

    Operands of other classes decide. If they take no LazyArrays, they get the values.
    """
    if _OURS.issuperset(types):
        if not _begins_with_lazy(args) and not find_lazy([args, kwargs]):
            args, kwargs = _as_lists(args), _as_lists(kwargs)
        return face_function(func)(*args, **kwargs)
    others = tuple([kind for kind in types if not issubclass(kind, LazyArray | np.ndarray)])
    if not others:
        return face_function(func)(*args, **kwargs)
    operands = []
    map_lazy([args, kwargs], operands.append, others)
    for operand in operands:
        made = operand.__array_function__(func, types, args, kwargs)
        if made is not NotImplemented:
            return made
    return func(*values(args), **values(kwargs))


def _begins_with_lazy(args):
    """Return whether the first argument, or its first item, is a LazyArray, which usually saves a search."""
    if not args:
        return False
    first = args[0]
    return type(first) is LazyArray or (type(first) in (list, tuple) and bool(first) and type(first[0]) is LazyArray)


def _as_lists(obj):
    """Return arguments with lists for named tuples, deques and other sequences, which are not searched for arrays."""
    if isinstance(obj, dict):
        return {name: _as_lists(item) for name, item in obj.items()}
    if isinstance(obj, Sequence) and not isinstance(obj, str | bytes):
        items = [_as_lists(item) for item in obj]
        return tuple(items) if type(obj) is tuple else items
    return obj


core.set_hook("array_function", array_function)
core.set_hook("getitem", indexing.getitem)
core.set_hook("setitem", assignment.setitem)
core.set_hook("row", row)
core.set_hook("compress", indexing.elements_under)
