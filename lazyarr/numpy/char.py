"""`numpy.char`: NumPy's class of string arrays, which can be created from LazyArrays."""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.char")
