"""NumPy's namespace, lazily: `from lazyarr import numpy as np` in place of `import numpy as np`.

Every public name of NumPy is here. Functions come from the table of operations (`lazyarr/ops/registry.py`); dtypes,
constants, exceptions and submodules without arrays are NumPy's own objects.
"""
import numpy as _np

# ruff: noqa: E402, F401, I001  # importing a family of operations adds its rows to the table, so they come first
from lazyarr.ops import contraction as _contraction, creation as _creation, dlpack as _dlpack
from lazyarr.ops import einsum as _einsum, elementwise as _elementwise, fourier as _fourier, histograms as _histograms
from lazyarr.ops import indexing as _indexing, layout as _layout, linalg as _linalg, nanreduction as _nanreduction
from lazyarr.ops import packing as _packing, polynomials as _polynomials, reduction as _reduction
from lazyarr.ops import sharing as _sharing, sorting as _sorting, taking as _taking, writing as _writing
from lazyarr.numpy import composed as _composed  # last: only what is not written by hand
from lazyarr.numpy import cardinal as _cardinal
from lazyarr.numpy import methods as _methods
from lazyarr.numpy import norms as _norms
from lazyarr.numpy import protocols as _protocols

_methods.install()
_protocols.install()

# What is not made from the table's rows.
from lazyarr.numpy import fft as fft, lib as lib, linalg as linalg, random as random
from lazyarr.numpy.flat import flatiter as flatiter
from lazyarr.numpy.indexers import c_ as c_, mgrid as mgrid, ogrid as ogrid, r_ as r_, vectorize as vectorize
from lazyarr.numpy.namespace import face as _face, public_names as _public_names
from lazyarr.numpy.ndarray import ndarray as ndarray
from lazyarr.numpy.nditer import nditer as nditer
from lazyarr.numpy.ufuncs import UFunc as _UFunc, frompyfunc as frompyfunc

ufunc = _UFunc
__version__, __config__ = _np.__version__, _np.__config__
# What the namespace tells about itself by the array API standard: devices, dtypes, capabilities.
__array_api_version__ = _np.__array_api_version__
__array_namespace_info__ = _np.__array_namespace_info__
__all__ = [*_public_names(_np), "__version__"]  # noqa: PLE0604  # NumPy's own list
__getattr__, __dir__ = _face(_np, globals())
