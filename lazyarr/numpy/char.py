"""`numpy.char`: arrays of strings of a class of their own, NumPy's, made of LazyArrays too."""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.char")
