"""Equality of calls of pure functions.

Operations make a new function for each call: a kernel with its parameters, a closure, a `functools.partial`. Two are
equal if they run the same code and their closure values are equal: numbers, names, dtypes, small arrays, and tuples,
lists and dicts of these. Anything else must be the same object. Functions that draw random numbers equal none.
"""
from lazyarr._core.ir.node cimport Kernel

from functools import partial
from types import BuiltinFunctionType, EllipsisType, FunctionType, NoneType

import numpy as np

cdef extern from "Python.h":
    int PyGC_Disable() noexcept
    int PyGC_Enable() noexcept

cdef enum:
    MOST_NESTED = 24
    MOST_BYTES = 1 << 12    # largest array that is compared

cdef frozenset _by_value = frozenset([int, bool, str, bytes, NoneType, EllipsisType, type])
cdef tuple _functions = (FunctionType, partial, Kernel, BuiltinFunctionType, np.ufunc)


cdef bint are_equal_calls(tuple a, tuple b) noexcept:
    """Compare two calls: names, functions, and the specs of several results.

    Runs during a walk, in which no other may begin (a finalizer run by the garbage collector could evaluate).
    """
    cdef bint collects = PyGC_Disable()
    try:
        return isinstance(a[1], _functions) and a[0] == b[0] and _equal(a[1], b[1], 0) and _equal(a[2], b[2], 0) \
            and not getattr(a[1], "draws", False)
    except Exception:  # e.g. an empty closure cell
        return False
    finally:
        if collects:
            PyGC_Enable()


cdef bint _equal(object f, object g, int depth) except -1:
    cdef object kind = type(f)
    if f is g:
        return True
    if kind is not type(g) or depth == MOST_NESTED:
        return False
    if kind in _by_value or isinstance(f, np.dtype):
        return f == g
    if kind is float or kind is complex:
        return repr(f) == repr(g)  # distinguishes 0.0 and -0.0
    if kind is tuple or kind is list:
        return _equal_items(f, g, depth + 1)
    if kind is dict:
        return [*f] == [*g] and _equal_items([*f.values()], [*g.values()], depth + 1)
    if kind is slice:
        return _equal_items((f.start, f.stop, f.step), (g.start, g.stop, g.step), depth + 1)
    if kind is FunctionType:
        return f.__code__ is g.__code__ and f.__globals__ is g.__globals__ and _equal_closures(f, g, depth + 1)
    if kind is partial:
        return _equal_items((f.func, f.args, f.keywords), (g.func, g.args, g.keywords), depth + 1)
    if isinstance(f, Kernel):
        return hasattr(f, "__dict__") and _equal(f.__dict__, g.__dict__, depth + 1)
    if kind is np.ndarray or isinstance(f, np.generic):
        return f.dtype == g.dtype and not f.dtype.hasobject and f.shape == g.shape and f.nbytes <= MOST_BYTES \
            and f.tobytes() == g.tobytes()
    return isinstance(f, int) and kind.__eq__ is int.__eq__ and f == g  # an index or an enum member


cdef bint _equal_items(object f, object g, int depth) except -1:
    cdef Py_ssize_t k, count = len(f)
    if count != len(g):
        return False
    for k in range(count):
        if not _equal(f[k], g[k], depth):
            return False
    return True


cdef bint _equal_closures(object f, object g, int depth) except -1:
    """Compare what two functions with the same code hold besides their arguments."""
    cdef tuple cells = f.__closure__, others = g.__closure__
    cdef Py_ssize_t k
    if cells is not None:
        for k in range(len(cells)):
            if not _equal(cells[k].cell_contents, others[k].cell_contents, depth):
                return False
    return _equal(f.__defaults__, g.__defaults__, depth) and _equal(f.__kwdefaults__, g.__kwdefaults__, depth)
