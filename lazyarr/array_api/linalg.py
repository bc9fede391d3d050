"""`numpy.linalg` with arrays as results, where NumPy gives scalars: norms, determinants, ranks."""
from lazyarr.numpy.namespace import WaitingFace as _WaitingFace

_numpy = _WaitingFace(__name__, arrays=True, module="lazyarr.numpy.linalg")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(_numpy, name)
    return found


def __dir__():
    from lazyarr.numpy import linalg

    return dir(linalg)
