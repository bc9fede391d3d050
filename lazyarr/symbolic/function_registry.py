"""The names by which stored graphs call functions that only compute."""
import operator

import numpy as np

from lazyarr import creation  # noqa: F401 - like the last but one, it has functions with such names
from lazyarr._core.ir.own_ufuncs import ufunc_named
from lazyarr.ops import logsumexp  # noqa: F401
from lazyarr.ops.deferred_dispatch import NAMED
from lazyarr.ops.table import IMMEDIATE, TABLE
from lazyarr.symbolic.program import BINARY, IN_PLACE
from lazyarr.symbolic.symbol import OTHERS, PARTS, assignment, method

METHODS = frozenset("""
    all any argmax argmin argpartition argsort astype clip compress conj conjugate copy cumprod cumsum diagonal dot fill
    flatten grad max mean min partition prod put ravel repeat reshape round searchsorted sort squeeze std sum swapaxes
    take trace transpose var view
""".split())
OPERATORS = frozenset([*BINARY, *IN_PLACE, *OTHERS])
UFUNC_METHODS = frozenset({"reduce", "accumulate", "outer", "reduceat", "at"})


def function_named(name):
    """Return the function with a name in a file."""
    kind, _, rest = name.partition(" ")
    bare, _, way = rest.partition(".")
    if kind in NAMED and not rest:
        return NAMED[kind]
    if kind == "ufunc" and (found := ufunc_named(bare)) is not None and (not way or way in UFUNC_METHODS):
        return getattr(found, way) if way else found
    if kind == "numpy" and rest in TABLE and TABLE[rest].kind != IMMEDIATE \
            and not isinstance(TABLE[rest].function, np.ufunc) and TABLE[rest].numpy:
        return TABLE[rest].function
    if kind == "method" and rest in METHODS:
        return method(rest)
    if kind == "attribute" and rest in PARTS:
        return operator.attrgetter(rest)
    if kind == "assignment" and (rest in PARTS or rest == "flat"):
        return assignment(rest)
    if kind == "operator" and rest in OPERATORS:
        return getattr(operator, rest)
    raise ValueError(f"there is no function {name!r} that graphs can be made of")
