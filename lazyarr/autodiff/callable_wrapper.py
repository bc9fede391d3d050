"""Callable objects that wrap a function, as decorators return them, and are copied and pickled like functions."""
import functools
import operator
import sys
from collections.abc import Callable
from typing import Any


class Wrapped:
    """A callable under the name of the function it wraps, `__wrapped__`.

    A copy is the object itself. It is pickled as a reference to its name in the module; in ``__main__``, whose names
    differ between programs, it is rebuilt from the function.
    """

    __wrapped__: Callable[..., Any]
    _rule: Any = None  # set after construction

    def __init__(self, f):
        functools.update_wrapper(self, f, updated=())

    def __call__(self, /, *args, **kwargs):
        """Call the function."""
        raise NotImplementedError

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        module, name = vars(self).get("__module__"), vars(self).get("__qualname__")
        if _found(module, name) is self:
            if module != "__main__":
                return name
            self.__wrapped__.__qualname__ = f"{name}.__wrapped__"  # where pickle finds it
        return type(self), (self.__wrapped__,), self._rule and {"_rule": self._rule}


def _found(module, name):
    """Return an attribute of a module by its qualified name, or None."""
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError, TypeError):
        return None
