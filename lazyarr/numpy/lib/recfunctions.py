"""`numpy.lib.recfunctions`: NumPy's functions of arrays of records, called on values."""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.lib.recfunctions")
