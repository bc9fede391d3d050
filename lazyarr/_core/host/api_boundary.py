"""The boundary of the package: errors that leave a decorated function end at the line that called it.

`_core/host/tracebacks.pyx` says what is left out of them.
"""
import functools
import types
from typing import Any, TypeVar

from lazyarr._core.host.tracebacks import hide_frames

_Callable = TypeVar("_Callable")


def api_boundary(function: _Callable) -> _Callable:
    """Decorator of functions written in Python that users call, and of classes: for their public methods.

    Where speed matters, a function does the same by itself, which takes no time unless there is an error::

        except BaseException as error:
            hide_frames(error)
            raise
    """
    if isinstance(function, type):
        for name, member in list(vars(function).items()):
            if _is_called_by_users(name, member):
                setattr(function, name, api_boundary(member))
        return function
    inner: Any = function

    @functools.wraps(inner)
    def call(*args, **kwargs):
        try:
            return inner(*args, **kwargs)
        except BaseException as error:
            hide_frames(error)
            raise

    return call  # type: ignore[return-value]  # it takes and gives what the function does


def _is_called_by_users(name: str, member: object) -> bool:
    is_special = name.startswith("__") and name.endswith("__")
    return isinstance(member, types.FunctionType) and (is_special or not name.startswith("_"))
