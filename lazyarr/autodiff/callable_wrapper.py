"""Objects that stand for a function, as decorators return them, and are copied and pickled as functions are."""
import functools
import operator
import sys
from collections.abc import Callable
from typing import Any


class Wrapped:
    """A callable under the name of the function that it was made of, `__wrapped__`.

    A copy is the object itself. What a module has by this name is pickled as a reference to it; another program that
    runs as ``__main__`` has other names, so from there a new one is made of the function.
    """

    __wrapped__: Callable[..., Any]
    _rule: Any = None   # what was stated after it was made

    def __init__(self, f):
        functools.update_wrapper(self, f, updated=())

    def __call__(self, /, *args, **kwargs):
        """What the function gives."""
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
            self.__wrapped__.__qualname__ = f"{name}.__wrapped__"  # where it is now
        return type(self), (self.__wrapped__,), self._rule and {"_rule": self._rule}


def _found(module, name):
    """The attribute of a module, None if there is none."""
    try:
        return operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError, TypeError):
        return None
