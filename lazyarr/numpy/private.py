"""NumPy's private modules, such as `np._core`: NumPy's own objects, but for functions that are written in C.

These get ndarrays on the memory of LazyArrays, and so do the methods of the objects that they return.
"""
import functools
import types

import numpy as np

from lazyarr._core import api as core
from lazyarr.ops.operands import map_lazy

_modules = {}


class _PrivateModule(types.ModuleType):
    def __init__(self, module):
        super().__init__(module.__name__, module.__doc__)
        super().__setattr__("_original", module)

    @property
    def __dict__(self):
        return vars(self._original)

    def __getattr__(self, name):
        found = getattr(self._original, name)
        return found if name.startswith("__") else _counterpart(found)

    def __setattr__(self, name, value):
        setattr(self._original, name, value)

    def __delattr__(self, name):
        delattr(self._original, name)

    def __dir__(self):
        return dir(self._original)


class _Object:
    """An object that a private function returned, with methods that take LazyArrays."""

    def __init__(self, original):
        self._original = original

    def __getattr__(self, name):
        return _counterpart(getattr(self._original, name))

    def __repr__(self):
        return repr(self._original)


def private_module(original):
    """What stands for a private module of NumPy's."""
    name = original.__name__
    if name not in _modules:
        _modules[name] = _PrivateModule(original)
    return _modules[name]


def _counterpart(obj):
    if isinstance(obj, types.ModuleType):
        return private_module(obj) if obj.__name__.startswith("numpy.") else obj
    if not isinstance(obj, types.BuiltinFunctionType) or getattr(np, obj.__name__, None) is obj:
        return obj

    @functools.wraps(obj)
    def called(*args, **kwargs):
        result = obj(*map_lazy(args, core.lent), **map_lazy(kwargs, core.lent))
        return _Object(result) if _is_private(type(result)) else result

    return called


def _is_private(kind):
    return kind.__module__.partition(".")[0] == "numpy" and getattr(np, kind.__name__, None) is not kind \
        and not issubclass(kind, np.ndarray | np.generic | np.dtype)
