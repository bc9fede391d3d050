"""`numpy.polynomial`: functions run NumPy's own steps, lazily on large or pending arrays; the classes are NumPy's."""
import sys as _sys
import types as _types

import numpy as _np

from lazyarr._core import api as _core
from lazyarr.numpy.namespace import ROOM as _ROOM
from lazyarr.numpy.namespace import deferred as _deferred
from lazyarr.numpy.namespace import public_names as _public_names
from lazyarr.numpy.rebound_numpy_code import composed as _composed

_FUNCTIONS = _types.FunctionType, type(_np.sum)  # some dispatch on their arguments first


def _function(original, place):
    """Return the counterpart of a function, which runs at once on small arrays."""
    lazily = _composed(original, constants=False)
    values = getattr(original, "_implementation", original)
    function = _core.named(_core.Function("", lazily, values, room=_ROOM), lazily, place)
    function.__wrapped__ = original
    return function


def _face(module):
    """Return the module with its functions bound to lazy operands."""
    face = _sys.modules[f"lazyarr.{module.__name__}"] = _types.ModuleType(f"lazyarr.{module.__name__}", module.__doc__)
    for name, obj in vars(module).items():
        if isinstance(obj, _FUNCTIONS) and not name.startswith("_"):
            obj = _function(obj, face.__name__)
        if not name.startswith("__"):
            setattr(face, name, obj)
    return face


def _load():
    from numpy import polynomial

    for name in _public_names(polynomial):
        obj = getattr(polynomial, name)
        globals()[name] = _face(obj) if isinstance(obj, _types.ModuleType) else obj
    globals()["__all__"] = polynomial.__all__


__getattr__, __dir__ = _deferred(globals(), _load)
