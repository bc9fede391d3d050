"""`numpy.lib.stride_tricks`, lazily: see `lazyarr/ops/layout.py`."""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.lib.stride_tricks")
