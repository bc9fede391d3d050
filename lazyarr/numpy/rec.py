"""`numpy.rec`: arrays of records, NumPy's own, which are made of LazyArrays too."""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.rec")
