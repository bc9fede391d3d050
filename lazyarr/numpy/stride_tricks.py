"""`numpy.lib.stride_tricks`, lazily: see `lazyarr/ops/layout.py`."""
import numpy as _np

from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names

__all__ = _public_names(_np.lib.stride_tricks)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_np.lib.stride_tricks, globals())
