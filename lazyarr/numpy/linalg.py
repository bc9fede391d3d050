"""`numpy.linalg`, lazily: norms and products are composed, factorizations and solvers wait for LAPACK.

See `lazyarr/ops/linalg.py` for what raises LinAlgError when.
"""
import numpy as _np

from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names

__all__ = _public_names(_np.linalg)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_np.linalg, globals())
