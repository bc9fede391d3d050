"""`numpy.ctypeslib`: passing the memory of LazyArrays to C functions."""
from lazyarr._core import api as _core
from lazyarr.numpy.namespace import face as _face

_pointers = {}


def ndpointer(dtype=None, ndim=None, shape=None, flags=None):
    """Create an argument type of C functions for arrays of this dtype, shape and layout: `numpy.ctypeslib.ndpointer`.

    Examples
    --------
    >>> x = la.zeros(3)
    >>> ndpointer("f8", ndim=1).from_param(x).data == x.ctypes.data
    True
    """
    from numpy.ctypeslib import ndpointer as of_numpy

    kind = of_numpy(dtype, ndim, shape, flags)
    if kind not in _pointers:
        def from_param(cls, obj):
            return kind.from_param(
                _core.expose(_core.bring_to_host(obj)) if isinstance(obj, _core.LazyArray) else obj)

        _pointers[kind] = type(kind.__name__, (kind,), {"from_param": classmethod(from_param)})
    return _pointers[kind]


__getattr__, __dir__ = _face(globals(), "numpy.ctypeslib")
