"""`numpy.lib`, of which `stride_tricks` makes views of LazyArrays."""
import numpy as _np

from lazyarr.numpy import stride_tricks as stride_tricks
from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names

__all__ = _public_names(_np.lib)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_np.lib, globals())
