"""The namespace of the array API standard, version 2024.12, returned by `x.__array_namespace__()`.

It is `lazyarr.numpy` with functions that are always lazy, and that return arrays where NumPy returns scalars, which the
standard does not have. Where NumPy's parameters, defaults or result types differ, they are the standard's. Values are
NumPy's, also in special cases that the standard defines otherwise (`floor_divide` of infinities, complex `expm1`).
"""
import sys as _sys

import numpy as _np

from lazyarr import numpy as _drop_in
from lazyarr._core import api as _core
from lazyarr._core.host.api_boundary import api_boundary as _api_boundary
from lazyarr.array_api import fft as fft
from lazyarr.array_api import linalg as linalg
from lazyarr.numpy import __array_api_version__ as __array_api_version__
from lazyarr.numpy import __array_namespace_info__ as __array_namespace_info__
from lazyarr.numpy import __version__ as __version__
from lazyarr.numpy import offer as _offer
from lazyarr.numpy.namespace import WaitingFace as _WaitingFace

_numpy = _WaitingFace(__name__, arrays=True)


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """Return the indices that sort an array along an axis.

    Parameters
    ----------
    x : array
    axis : int, optional
    descending : bool, optional
        Whether the largest element comes first.
    stable : bool, optional
        Whether equal elements keep their order, also if descending.

    Returns
    -------
    LazyArray

    Examples
    --------
    >>> la.array_api.argsort(la.array([1, 3, 3, 2]), descending=True)
    array([1, 2, 3, 0])
    """
    if not descending:
        return _numpy.argsort(x, axis, stable=stable)
    backwards = _numpy.argsort(_numpy.flip(x, axis), axis, stable=stable)
    return x.shape[axis] - 1 - _numpy.flip(backwards, axis)


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """Return a sorted copy; parameters are those of `argsort`. Zeros of either sign are equal.

    Examples
    --------
    >>> la.array_api.sort(la.array([1, 3, 2]), descending=True)
    array([3, 2, 1])
    """
    if not descending:
        return _numpy.sort(x, axis, stable=stable)
    return _numpy.flip(_numpy.sort(_numpy.flip(x, axis), axis, stable=stable), axis)


def clip(x, /, min=None, max=None, **kwargs):
    """Clip values to an interval: `numpy.clip`, with the standard's names of the bounds.

    Examples
    --------
    >>> la.array_api.clip(la.arange(5), min=1, max=3)
    array([1, 1, 2, 3, 3])
    """
    return _numpy.clip(x, min, max, **kwargs)


def broadcast_arrays(*arrays):
    """Broadcast arrays against each other: `numpy.broadcast_arrays`, as a list.

    Examples
    --------
    >>> [x.shape for x in la.array_api.broadcast_arrays(la.zeros(3), la.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    return list(_numpy.broadcast_arrays(*arrays))


def meshgrid(*arrays, indexing="xy", **kwargs):
    """Make coordinate arrays from vectors: `numpy.meshgrid`, as a list.

    Examples
    --------
    >>> la.array_api.meshgrid(la.arange(2), la.arange(2))[1].tolist()
    [[0, 0], [1, 1]]
    """
    return list(_numpy.meshgrid(*arrays, indexing=indexing, **kwargs))


def diff(x, /, *, axis=-1, n=1, prepend=None, append=None):
    """Compute differences of neighbours: `numpy.diff`, with None as the default of `prepend` and `append`.

    Examples
    --------
    >>> la.array_api.diff(la.array([1, 2, 4]), prepend=None)
    array([1, 2])
    """
    ends = {name: end for name, end in (("prepend", prepend), ("append", append)) if end is not None}
    return _numpy.diff(x, n, axis, **ends)


def unique_values(x, /):
    """Return the unique values, sorted, each NaN separately; this evaluates x. `numpy.unique_values` does not sort.

    Examples
    --------
    >>> la.array_api.unique_values(la.array([3, 1, 3]))
    array([1, 3])
    """
    return _numpy.unique(x, equal_nan=False)


class finfo:
    """Limits of a floating-point type: `numpy.finfo`, with Python floats where these can represent the value.

    Parameters
    ----------
    type : data-type or array

    Examples
    --------
    >>> la.array_api.finfo(np.float32).max
    3.4028234663852886e+38
    """

    def __init__(self, type, /):
        self._info = _np.finfo(type.dtype if isinstance(type, _numpy.ndarray) else type)

    def __getattr__(self, name):
        if name.startswith("_"):  # of a copy that is being made
            raise AttributeError(name)
        found = getattr(self._info, name)
        return float(found) if isinstance(found, _np.float16 | _np.float32 | _np.float64) else found

    def __repr__(self):
        return repr(self._info)


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """Convert to a lazy array from which no scalars are computed, as the standard has none.

    Examples
    --------
    >>> la.array_api.asarray([1.0, 2.0]).sum().shape
    ()
    """
    made = _numpy.asarray(obj, dtype=dtype, device=device, copy=copy)
    return _core.waiting(made if isinstance(obj, _core.LazyArray) else _core.keep_to_itself(made))


_core.install({"__array_namespace__": _offer.Offer(_sys.modules[__name__])})


@_api_boundary
def __getattr__(name):
    found = globals()[name] = getattr(_numpy, name)
    return found


def __dir__():
    return sorted({*_drop_in.__dir__(), *[name for name in globals() if not name.startswith("_")]})
