"""`numpy.char`: arrays of strings of a class of their own, NumPy's, made of LazyArrays too."""
import numpy as _np

from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names

__all__ = _public_names(_np.char)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_np.char, globals())
