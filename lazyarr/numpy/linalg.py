"""`numpy.linalg`, lazily: norms and products are composed, factorizations and solvers wait for LAPACK.

See `lazyarr/ops/linalg.py` for what raises LinAlgError when.
"""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.linalg")
