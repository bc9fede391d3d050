"""From a NumPy module to its lazy counterpart: every public name, found in the table of rows or NumPy's own.

A name is looked up when it is first used (some of NumPy's submodules are slow to import) and then kept.
"""
import importlib
import types

import numpy as np

import lazyarr.numpy.cardinal
import lazyarr.numpy.norms  # noqa: F401 - with both all rows are in the table
from lazyarr.numpy.ufuncs import wrapped
from lazyarr.ops.opaque import immediate
from lazyarr.ops.registry import find

# Functions that neither take nor give arrays: NumPy's own objects.
OWN = frozenset("""
    broadcast_shapes get_bit_generator get_include get_printoptions get_state getbufsize geterr
    geterrcall isdtype issubdtype nested_iters printoptions seed set_bit_generator
    set_printoptions set_state setbufsize seterr seterrcall show_config show_runtime test typename
""".split())

# Submodules with a face that is imported when it is asked for.
_SUBMODULES = frozenset({"numpy.char", "numpy.fft", "numpy.lib", "numpy.linalg", "numpy.polynomial", "numpy.random",
                         "numpy.rec", "numpy.testing"})


def lazy_counterpart(name, obj):
    """What `lazyarr.numpy` offers under the name under which NumPy offers `obj`."""
    if isinstance(obj, np.ufunc):
        return wrapped(obj)
    if isinstance(obj, types.ModuleType) and obj.__name__ in _SUBMODULES:
        return importlib.import_module(f"lazyarr.{obj.__name__}")
    op = find(obj) if callable(obj) else None
    if op is not None:
        return op.function
    if isinstance(obj, type | types.ModuleType) or not callable(obj) or name in OWN:
        return obj
    return immediate(obj)


def public_names(module):
    """The names a NumPy module offers, without private ones."""
    return [name for name in dir(module) if not name.startswith("_")]


def face(module, namespace, names=None):
    """The `__getattr__` and `__dir__` of the module whose globals are `namespace` and which stands for `module`.

    Names that are already in the namespace are written by hand and stay.
    """
    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        try:
            obj = getattr(module, name)
        except AttributeError as error:
            message = str(error).replace(f"module '{module.__name__}'", f"module {namespace['__name__']!r}")
            raise AttributeError(message) from None
        found = namespace[name] = lazy_counterpart(name, obj)
        return found

    def __dir__():
        return sorted({*public_names(module), *[name for name in namespace if not name.startswith("_")]})

    return __getattr__, __dir__
