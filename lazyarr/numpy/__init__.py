"""NumPy's namespace, lazily: `from lazyarr import numpy as np` in place of `import numpy as np`.

Every public name of NumPy is here. Functions come from the table of operations (`lazyarr/ops/table.py`); dtypes,
constants, exceptions and submodules without arrays are NumPy's own objects. All of them are found when the first name
is asked for.
"""
import numpy as _np

from lazyarr.numpy.ndarray import ndarray as ndarray

__version__, __config__ = _np.__version__, _np.__config__
# What the namespace tells about itself by the array API standard: devices, dtypes, capabilities.
__array_api_version__ = _np.__array_api_version__
__array_namespace_info__ = _np.__array_namespace_info__
__all__ = [*[name for name in dir(_np) if not name.startswith("_")], "__version__"]  # noqa: PLE0604  # NumPy's own list


def __getattr__(name):
    from lazyarr.numpy.contents import fill

    fill(globals())  # which takes this function away: Python then finds names faster
    if name in globals():
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    if "__getattr__" in globals():
        __getattr__("sum")
    return sorted([name for name in globals() if not name.startswith("_")])
