"""`numpy.lib.recfunctions`: NumPy's functions of arrays of records, called on values."""
import numpy.lib.recfunctions as _recfunctions

from lazyarr.numpy.namespace import face as _face
from lazyarr.numpy.namespace import public_names as _public_names

__all__ = _public_names(_recfunctions)  # noqa: PLE0605 - NumPy's own list
__getattr__, __dir__ = _face(_recfunctions, globals())
