"""NumPy's namespace, lazily: `from lazyarr import numpy as np` in place of `import numpy as np`.

Every public name of NumPy is here. Functions come from the table of operations (`lazyarr/ops/registry.py`); dtypes,
constants, exceptions and submodules without arrays are NumPy's own objects.
"""
import numpy as _np

# ruff: noqa: E402, F401, I001  # importing a family of operations adds its rows to the table, so they come first
from lazyarr.ops import contraction as _contraction, creation as _creation, elementwise as _elementwise
from lazyarr.ops import fourier as _fourier, indexing as _indexing, layout as _layout, reduction as _reduction
from lazyarr.ops import nanreduction as _nanreduction, sharing as _sharing, sorting as _sorting
from lazyarr.numpy import composed as _composed  # last: only what is not written by hand
from lazyarr.numpy import methods as _methods
from lazyarr.numpy import protocols as _protocols

_methods.install()
_protocols.install()

# What is not made from the table's rows.
from lazyarr.numpy import fft as fft, lib as lib, linalg as linalg, random as random
from lazyarr.numpy.indexers import c_ as c_, mgrid as mgrid, ogrid as ogrid, r_ as r_, vectorize as vectorize
from lazyarr.numpy.namespace import face as _face, public_names as _public_names
from lazyarr.numpy.ndarray import ndarray as ndarray
from lazyarr.numpy.ufuncs import UFunc as _UFunc, frompyfunc as frompyfunc

ufunc = _UFunc
__version__ = _np.__version__
__all__ = [*_public_names(_np), "__version__"]  # noqa: PLE0604  # NumPy's own list
__getattr__, __dir__ = _face(_np, globals())
