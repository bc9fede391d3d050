"""NumPy's private modules, such as `np._core`: their names are NumPy's own objects, except functions of C modules.

Those get ndarrays on the memory of LazyArrays, as do the methods of the objects they return.
"""
import functools
import types
from importlib.machinery import ExtensionFileLoader

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import map_lazy


class _PrivateModule(types.ModuleType):
    def __init__(self, module):
        super().__init__(module.__name__, module.__doc__)
        super().__setattr__("_original", module)

    @property
    def __dict__(self):
        return vars(self._original)

    def __getattr__(self, name):
        found = getattr(self._original, name)
        if name.startswith("__"):
            return found
        if isinstance(found, types.ModuleType):
            return private_module(found) if found.__name__.startswith("numpy.") else found
        return _counterpart(found) if is_in_c(self._original) else found

    def __setattr__(self, name, value):
        setattr(self._original, name, value)

    def __delattr__(self, name):
        delattr(self._original, name)

    def __dir__(self):
        return dir(self._original)


class _Function:
    """A C function; like these, it is not bound as a method when it is a class attribute."""

    def __init__(self, original):
        functools.update_wrapper(self, original)

    def __call__(self, *args, **kwargs):
        result = self.__wrapped__(*map_lazy(args, core.lent), **map_lazy(kwargs, core.lent))
        return _Object(result) if _is_private_type(type(result)) else result


class _Object:
    """An object returned by a private function; its methods accept LazyArrays."""

    def __init__(self, original):
        self._original = original

    def __getattr__(self, name):
        return _counterpart(getattr(self._original, name))

    def __repr__(self):
        return repr(self._original)


def is_in_c(module):
    """Return whether a module is written in C."""
    return isinstance(module.__loader__, ExtensionFileLoader)


def _counterpart(obj):
    is_own = isinstance(obj, types.BuiltinFunctionType) and getattr(np, obj.__name__, None) is not obj
    return _function(obj) if is_own else obj


_function = functools.cache(_Function)
private_module = functools.cache(_PrivateModule)  # the counterpart of NumPy's private module


def _is_private_type(kind):
    return kind.__module__.partition(".")[0] == "numpy" and getattr(np, kind.__name__, None) is not kind \
        and not issubclass(kind, np.ndarray | np.generic | np.dtype)
