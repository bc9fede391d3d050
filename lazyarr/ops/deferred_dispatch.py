"""Functions of lazyarr that let an operand defer the call.

NumPy's functions and ufuncs find such operands by their `__array_function__` and `__array_ufunc__`. These here are
Python functions, so that libraries can pickle them with what they refer to.
"""
import contextlib
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from lazyarr._core.host.tracebacks import hide_frames
from lazyarr.ops.deferred_operands import deferred_among

_P = ParamSpec("_P")
_R = TypeVar("_R")

NAMED: dict[str, Callable[..., Any]] = {}
"""Functions of our own that can be put off, by the names under which graphs are stored."""


def deferrable(function, composed=False):
    """Wrap a function so that a `Deferred` argument defers the call.

    `composed`: it consists of calls that can be deferred separately.
    """
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            found = deferred_among(args)
            if found is None and kwargs:
                found = deferred_among(kwargs.values())
            if found is None:
                return function(*args, **kwargs)
            if composed and found.can_pass(args[0]):
                with contextlib.suppress(TypeError, ValueError, IndexError, AttributeError):  # it needs unknown values
                    return function(*args, **kwargs)
            return found.computed(getattr(call, "stored_as", None), call, *args, **kwargs)
        except BaseException as error:
            hide_frames(error)
            raise

    return call


def named(name: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Decorator: `deferrable`, for a function that stored graphs may call by this name."""
    def register(function):
        call = NAMED[name] = deferrable(function)
        call.stored_as = name
        return call

    return register
