"""The boundary of the package: tracebacks of errors raised by decorated functions end at the caller's line.

`_core/host/tracebacks.pyx` says which frames are omitted.
"""
import functools
import types
from typing import Any, TypeVar

from lazyarr._core.host.tracebacks import hide_frames

_Callable = TypeVar("_Callable")


def api_boundary(function: _Callable) -> _Callable:
    """Decorate a public Python function, or a class for its public methods.

    Where speed matters, a function does the same by itself, which takes no time unless there is an error::

        except BaseException as error:
            hide_frames(error)
            raise
    """
    if isinstance(function, type):
        for name, member in list(vars(function).items()):
            if _is_called_by_users(name, member):
                setattr(function, name, api_boundary(member))
        if "__init__" not in vars(function):
            name_init(function)
        return function
    inner: Any = function

    @functools.wraps(inner)
    def call(*args, **kwargs):
        try:
            return inner(*args, **kwargs)
        except BaseException as error:
            hide_frames(error)
            raise

    return call  # type: ignore[return-value]  # has the signature of the function


def name_init(cls: type) -> None:
    """Give a class its own copy of `__init__`, so that errors about wrong arguments name this class."""
    inner = getattr(cls.__init__, "__wrapped__", cls.__init__)  # type: ignore[misc]  # any class of the MRO may define it
    if isinstance(inner, types.FunctionType):
        own = types.FunctionType(inner.__code__, inner.__globals__, "__init__", inner.__defaults__, inner.__closure__)
        own.__kwdefaults__, own.__annotations__ = inner.__kwdefaults__, inner.__annotations__
        own.__doc__ = inner.__doc__
        own.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = api_boundary(own)  # type: ignore[misc]  # assigned on purpose


def _is_called_by_users(name: str, member: object) -> bool:
    is_special = name.startswith("__") and name.endswith("__")
    return isinstance(member, types.FunctionType) and (is_special or not name.startswith("_"))
