"""`numpy.linalg`, lazily: norms and products are composed, factorizations and solvers run at once.

A singular matrix raises LinAlgError where the function is called, as in NumPy; hence what can find one evaluates.
"""
import numpy as _np

from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names

__all__ = _public_names(_np.linalg)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_np.linalg, globals())
