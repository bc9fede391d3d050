"""`numpy.polynomial`: functions run NumPy's own steps, each of them lazy; the classes are NumPy's."""
import sys as _sys
import types as _types

import numpy as _np
from numpy import polynomial as _polynomial

from lazyarr.numpy.composed import composed as _composed
from lazyarr.numpy.namespace import public_names as _public_names

_FUNCTIONS = _types.FunctionType, type(_np.sum)  # some of them ask their arguments first, as NumPy's own do


def _face(module):
    """The module with its functions bound to lazy operands."""
    face = _sys.modules[f"lazyarr.{module.__name__}"] = _types.ModuleType(f"lazyarr.{module.__name__}", module.__doc__)
    for name in _public_names(module):
        obj = getattr(module, name)
        if isinstance(obj, _FUNCTIONS):
            obj = _composed(obj, constants=False)
            obj.__module__ = face.__name__
        setattr(face, name, obj)
    face.__getattr__ = module.__getattribute__  # private names
    return face


for _name in _public_names(_polynomial):
    _obj = getattr(_polynomial, _name)
    globals()[_name] = _face(_obj) if isinstance(_obj, _types.ModuleType) else _obj

__all__ = _polynomial.__all__
