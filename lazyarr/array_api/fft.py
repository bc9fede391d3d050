"""The standard's extension `fft`: `lazyarr.numpy.fft`, with a dtype for sample frequencies."""
import numpy as _np

from lazyarr import numpy as _numpy
from lazyarr._core.host.api_boundary import api_boundary as _api_boundary


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Return the sample frequencies of `fft`: `numpy.fft.fftfreq`.

    Parameters
    ----------
    n : int
        Length of the transformed axis.
    d : float, optional
        The spacing of the samples.
    dtype : data-type, optional
        A real floating-point type; float64 by default.
    device : {"cpu", None}, optional

    Returns
    -------
    LazyArray

    Examples
    --------
    >>> la.array_api.fft.fftfreq(4, dtype=np.float32)
    array([ 0.  ,  0.25, -0.5 , -0.25], dtype=float32)
    """
    return _as_real(_numpy.fft.fftfreq(n, d, device=device), dtype)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Return the sample frequencies of `rfft`: `numpy.fft.rfftfreq`. Parameters are those of `fftfreq`.

    Examples
    --------
    >>> la.array_api.fft.rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    return _as_real(_numpy.fft.rfftfreq(n, d, device=device), dtype)


def _as_real(frequencies, dtype):
    if dtype is None:
        return frequencies
    if not _np.issubdtype(dtype, _np.floating):
        raise ValueError(f"dtype must be a real floating-point type, not {_np.dtype(dtype)}")
    return frequencies.astype(dtype, copy=False)


@_api_boundary
def __getattr__(name):
    found = globals()[name] = getattr(_numpy.fft, name)
    return found


def __dir__():
    return sorted({*dir(_numpy.fft), "fftfreq", "rfftfreq"})
