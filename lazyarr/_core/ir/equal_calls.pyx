"""Whether two calls are of the same pure function.

Operations make a function anew for each call of theirs: a kernel with its parameters, a closure, a `functools.partial`.
Two are equal if they run the same code with equal numbers, names, dtypes and small arrays; what else they refer to has
to be the same object. Functions that draw random numbers equal none, nor does one that refers to an object of its own.
"""
from lazyarr._core.ir.node cimport Kernel

from functools import partial
from types import BuiltinFunctionType, EllipsisType, FunctionType, NoneType

import numpy as np

cdef enum:
    MOST_NESTED = 24
    MOST_BYTES = 1 << 12    # of an array that is compared

cdef frozenset _by_value = frozenset([str, bytes, NoneType, EllipsisType, type])
cdef tuple _functions = (FunctionType, partial, Kernel, BuiltinFunctionType, np.ufunc)


cdef bint are_equal_calls(tuple a, tuple b) noexcept:
    """Compare what nodes say about their calls: the name, the function, and the forms of several results."""
    try:
        return isinstance(a[1], _functions) and a[0] == b[0] and _equal(a[1], b[1], 0) and _equal(a[2], b[2], 0) \
            and not getattr(a[1], "draws", False)
    except Exception:  # as of a cell that is empty
        return False


cdef bint _equal(object f, object g, int depth) except -1:
    cdef object kind = type(f)
    if f is g:
        return True
    if kind is not type(g) or depth > MOST_NESTED:
        return False
    if kind in _by_value or isinstance(f, np.dtype) or issubclass(kind, int) and kind.__eq__ is int.__eq__:
        return f == g
    if kind is float or kind is complex:
        return repr(f) == repr(g)  # zeros have signs
    if kind is tuple or kind is list:
        return len(f) == len(g) and all([_equal(x, y, depth + 1) for x, y in zip(f, g)])
    if kind is dict:
        return [*f] == [*g] and _equal([*f.values()], [*g.values()], depth + 1)
    if kind is slice:
        return _equal((f.start, f.stop, f.step), (g.start, g.stop, g.step), depth)
    if kind is FunctionType:
        return f.__code__ is g.__code__ and _equal(_given(f), _given(g), depth + 1)
    if kind is partial:
        return _equal((f.func, f.args, f.keywords), (g.func, g.args, g.keywords), depth + 1)
    if isinstance(f, Kernel):
        return _equal(getattr(f, "__dict__", f), getattr(g, "__dict__", g), depth + 1)
    if kind is np.ndarray or isinstance(f, np.generic):
        return f.dtype == g.dtype and not f.dtype.hasobject and f.shape == g.shape and f.nbytes <= MOST_BYTES \
            and f.tobytes() == g.tobytes()
    return False


cdef tuple _given(object function):
    """What a function knows besides its arguments."""
    return function.__defaults__, function.__kwdefaults__, [cell.cell_contents for cell in function.__closure__ or ()]
