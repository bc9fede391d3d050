"""`numpy.lib`, whose `stride_tricks` returns views of LazyArrays."""
from lazyarr.numpy import stride_tricks as stride_tricks
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.lib")
