"""`numpy.linalg`, with arrays where NumPy returns scalars: norms, determinants, ranks."""
from lazyarr._core.host.api_boundary import api_boundary as _api_boundary
from lazyarr.numpy.namespace import WaitingFace as _WaitingFace

_numpy = _WaitingFace(__name__, arrays=True, module="lazyarr.numpy.linalg")


@_api_boundary
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(_numpy, name)
    return found


def __dir__():
    from lazyarr.numpy import linalg

    return dir(linalg)
