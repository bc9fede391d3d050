"""The class that scripts know as `np.ndarray`.

Two kinds of objects are arrays here: LazyArrays, but for those that stand for NumPy's scalars, and the ndarrays that
come from libraries. Both are instances of this class; calling it makes a LazyArray, and a class derived from it is
derived from NumPy's ndarray.
"""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray


class _ArrayType(type):
    def __new__(mcs, name, bases, namespace, **kwargs):
        real = tuple([np.ndarray if isinstance(base, _ArrayType) else base for base in bases])
        if real != bases:
            return type(np.ndarray)(name, real, {"view": _view} | namespace, **kwargs)
        return super().__new__(mcs, name, bases, namespace, **kwargs)

    def __instancecheck__(cls, instance):
        return not instance._scalar if isinstance(instance, LazyArray) else isinstance(instance, np.ndarray)

    def __subclasscheck__(cls, subclass):
        return issubclass(subclass, LazyArray | np.ndarray) or subclass is cls

    def __getattr__(cls, name):
        # np.ndarray.sum(x) and the like, called with a LazyArray.
        import lazyarr.numpy.contents  # noqa: F401 - gives LazyArray its methods

        return getattr(LazyArray if hasattr(LazyArray, name) else np.ndarray, name)


def _view(self, *args, **kwargs):
    """See `numpy.ndarray.view`; the class that scripts know as `np.ndarray` is NumPy's to NumPy."""
    return np.ndarray.view(self, *[np.ndarray if arg is ndarray else arg for arg in args],
                           **{name: np.ndarray if arg is ndarray else arg for name, arg in kwargs.items()})


class ndarray(metaclass=_ArrayType):
    """An array: LazyArrays and NumPy's ndarrays are its instances, calling it makes a LazyArray.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : data-type, optional
    buffer : object with the buffer interface, optional
        Memory to use. What is returned is then an ndarray, so that writes reach the buffer.
    offset, strides, order
        As in `numpy.ndarray`.

    Examples
    --------
    >>> import lazyarr as la
    >>> isinstance(la.zeros(3), la.ndarray)
    True
    >>> la.ndarray((2, 3)).shape
    (2, 3)
    """

    def __new__(cls, shape=(), dtype=float, buffer=None, offset=0, strides=None, order=None):
        if cls is not ndarray:  # called through super() in a class derived from NumPy's ndarray
            return np.ndarray.__new__(cls, shape, dtype, buffer, offset, strides, order)
        if buffer is not None:
            return np.ndarray(shape, dtype, buffer, offset, strides, order)
        if strides is not None:
            return core.from_numpy(np.ndarray(shape, dtype, None, offset, strides, order))
        from lazyarr.ops.creation import empty  # the class is there before the operations are

        return empty(shape, dtype, order or "C")

    def __class_getitem__(cls, item):
        return np.ndarray[item]
