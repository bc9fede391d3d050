"""`numpy.fft`, lazily: see `lazyarr/ops/fourier.py`."""
from lazyarr.numpy.namespace import face as _face

__getattr__, __dir__ = _face(globals(), "numpy.fft")
