"""`numpy.random`: see `lazyarr/numpy/generators.py`, which is imported when the first name is asked for."""
from lazyarr.numpy.namespace import deferred as _deferred


def _load():
    from lazyarr.numpy.generators import NAMES

    globals().update(NAMES)


__getattr__, __dir__ = _deferred(globals(), _load)
