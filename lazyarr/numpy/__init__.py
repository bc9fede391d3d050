"""NumPy's namespace, lazily: `from lazyarr import numpy as np` in place of `import numpy as np`.

Every public name of NumPy is here. Functions come from the table of operations (`lazyarr/ops/table.py`); dtypes,
constants, exceptions and submodules without arrays are NumPy's own objects.

    namespace    maps each public name to its counterpart; lists of functions that write, return views, run at once
    contents     what is registered before the first array: operations, methods, protocols
    ufuncs, methods, ndarray, flags, flat, nditer, indexers, resizing    ufunc objects; the array class and its parts
    protocols, overrides, offer     NEP 13 and 18, and the array API's `__array_namespace__`
    generators, lazy_random         generators; draws that wait
    rebound_numpy_code              NumPy's own Python functions, run on lazy operands
    record_scalars, pandas_compat, norms, sinc_function, private
    fft, linalg, random, polynomial, testing, char, rec, ctypeslib, lib, stride_tricks    submodules

Names. Python caches where a module has a name, but not for modules with a `__getattr__`: a lookup takes four times as
long there. So a module is filled when its first name is asked for, and loses its `__getattr__` then. Slow submodules
(`random`, `ma`, `testing`, ...) are filled the same way. Names that NumPy removed are therefore plainly missing here;
the runner's tracebacks and `lazyarr` itself say what NumPy says of them.

Data from outside. `lazy + x` with an ndarray takes a snapshot of `x`, unless nothing can write to its memory.
`lazyarr.asarray` shares and a write to the LazyArray copies first. Here, `asarray`, `frombuffer` and `from_dlpack`
share both ways as NumPy's do, and so do functions that may return a view of an ndarray argument (`_VIEWS` in
namespace). Results leave as read-only ndarrays (`.numpy()`), copies (`np.array(y)`), or lent memory (`np.asarray(y)`,
buffers, pointers): see `_core.frontend.storage`.

Calls on values. NumPy's function is called past its dispatcher (`np.median._implementation`) on ndarrays that share the
arrays' memory; a returned view becomes a view of the array. Functions that would keep the memory, or call the program
back with ndarrays, are listed in `namespace` and excluded.
"""
import numpy as _np

from lazyarr._core.host import tracebacks as _tracebacks
from lazyarr.numpy.namespace_info import ArrayNamespaceInfo
from lazyarr.numpy.ndarray import ndarray as ndarray

__version__, __config__ = _np.__version__, _np.__config__
# The namespace's information by the array API standard: devices, dtypes, capabilities.
__array_api_version__ = _np.__array_api_version__
__array_namespace_info__ = ArrayNamespaceInfo
__all__ = [*[name for name in dir(_np) if not name.startswith("_")], "__version__"]  # noqa: PLE0604  # NumPy's own list


def __getattr__(name):
    try:
        from lazyarr.numpy.contents import fill

        fill(globals())  # removes this function, so that Python finds names faster
        if name in globals():
            return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    except BaseException as error:
        _tracebacks.hide_frames(error)
        raise


def __dir__():
    if "__getattr__" in globals():
        __getattr__("sum")
    return sorted([name for name in globals() if not name.startswith("_")])
