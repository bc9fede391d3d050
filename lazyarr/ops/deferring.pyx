"""Operands that put a call off: variables of symbolic graphs, for which there are no arrays yet.

NumPy's functions and ufuncs find them by their `__array_function__` and `__array_ufunc__`; functions of our own are
told to look for them. That is native, as every call of these and of a layer goes through it.
"""
from lazyarr._core.array cimport LazyArray

import contextlib
import functools

import numpy as np

# Arguments that neither are put off nor hold what is, told at a glance: most calls have no others.
cdef set _PLAIN = {LazyArray, np.ndarray, int, float, bool, str, type(None)}

NAMED = {}
"""Functions of our own that can be put off, by the names under which graphs are stored."""


class Deferred:
    """What is not an array yet."""

    def computed(self, name, function, *args, **kwargs):
        """What stands for the result of a call, of which this is an operand, and which `name` is stored by."""
        raise NotImplementedError

    def can_pass(self, layer):
        """Whether the calls that a layer makes can be put off one by one."""
        raise NotImplementedError

    def converted(self, dtype, copies):
        """What stands for the array that NumPy's `asarray`, or `array`, makes of it."""
        raise NotImplementedError


def deferrable(function, composed=False):
    """A function that leaves a call to the `Deferred` operand among its arguments, if there is one.

    Parameters
    ----------
    function : callable
    composed : bool, optional
        Whether it is made of calls that can be put off one by one.
    """
    @functools.wraps(function)
    def call(*args, **kwargs):
        found = _among(args)
        if found is None and kwargs:
            found = _among(kwargs.values())
        if found is None:
            return function(*args, **kwargs)
        if composed and found.can_pass(args[0]):
            with contextlib.suppress(TypeError, ValueError, IndexError, AttributeError):  # it asks what is not known
                return function(*args, **kwargs)
        return found.computed(getattr(call, "stored_as", None), call, *args, **kwargs)

    return call


def named(name):
    """Decorator: `deferrable`, for a function that stored graphs may call by this name."""
    def register(function):
        call = NAMED[name] = deferrable(function)
        call.stored_as = name
        return call

    return register


def deferred_among(values):
    """The first `Deferred` among values, and what is in lists, tuples and dicts of these; None if there is none."""
    return _among(values)


cdef object _among(object values):
    for x in values:
        if type(x) in _PLAIN:
            continue
        if isinstance(x, Deferred):
            return x
        if isinstance(x, (list, tuple)):
            found = _among(x)
        elif isinstance(x, dict):
            found = _among(x.values())
        else:
            continue
        if found is not None:
            return found
    return None
