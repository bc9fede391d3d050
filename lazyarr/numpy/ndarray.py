"""The class that scripts know as `np.ndarray`.

Two kinds of objects are arrays here: LazyArrays, but for those that stand for NumPy's scalars, and the ndarrays that
come from libraries. Both are instances of this class; calling it makes a LazyArray, and a class derived from it is
derived from NumPy's ndarray.
"""
from functools import cache
from types import GetSetDescriptorType, MethodDescriptorType, MethodType, WrapperDescriptorType

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr._core.host.api_boundary import api_boundary

# NumPy checks whether these are its own ndarray's.
_PROTOCOLS = {"__array_ufunc__", "__array_function__"}


class _Method:
    """A method of NumPy's ndarray accessed through the class, for ndarrays and LazyArrays."""

    def __init__(self, real, lazy):
        self.__wrapped__ = real
        self._lazy = lazy

    def __call__(self, x, /, *args, **kwargs):
        return (self._lazy if isinstance(x, LazyArray) else self.__wrapped__)(x, *args, **kwargs)

    def __get__(self, x, cls=None):
        return self if x is None else MethodType(self, x)

    def __getattr__(self, name):
        return getattr(self.__wrapped__, name)


@cache
def _of_instances(name):
    """Return `np.ndarray.<name>`, if it is a method or an attribute of arrays; None if it belongs to the class.

    A class derived from NumPy's ndarray calls it with its instances, other code with LazyArrays.
    """
    import lazyarr.numpy.contents  # noqa: F401 - gives LazyArray its methods

    real = vars(np.ndarray).get(name, vars(object).get(name))
    if name in _PROTOCOLS:
        return real
    lazy = getattr(LazyArray, name, None)
    if isinstance(real, MethodDescriptorType | WrapperDescriptorType):
        return _Method(real, lazy or real)
    if isinstance(real, GetSetDescriptorType) and name != "__class__":
        def attribute(x):
            return lazy if isinstance(x, LazyArray) and lazy is not None else real

        return property(lambda x: attribute(x).__get__(x), lambda x, value: attribute(x).__set__(x, value),
                        doc=real.__doc__)
    return lazy if real is None and not hasattr(type, name) else None


class _ArrayType(type):
    def __new__(mcs, name, bases, namespace, **kwargs):
        if any(isinstance(base, _ArrayType) for base in bases):
            real = tuple([np.ndarray if isinstance(base, _ArrayType) else base for base in bases])
            return type(np.ndarray)(name, real, namespace, **kwargs)
        return super().__new__(mcs, name, bases, namespace, **kwargs)

    def __eq__(cls, other):
        """`type(x) == np.ndarray` holds for both, and what is kept by the type of LazyArrays is found."""
        return other is cls or other is LazyArray or other is np.ndarray

    def __hash__(cls):
        return hash(LazyArray)

    __instancecheck__ = core.is_array  # type: ignore[assignment]

    def __subclasscheck__(cls, subclass):
        return issubclass(subclass, LazyArray | np.ndarray) or subclass is cls

    def __getattribute__(cls, name):
        found = None if name in type.__getattribute__(cls, "__dict__") else _of_instances(name)
        return type.__getattribute__(cls, name) if found is None else found


class ndarray(np.ndarray, metaclass=_ArrayType):
    """The type of arrays: LazyArrays and NumPy's ndarrays are instances; calling it creates a LazyArray.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : data-type, optional
    buffer : object with the buffer interface, optional
        Memory to use. The result is then an ndarray, so that writes reach the buffer.
    offset, strides, order
        As in `numpy.ndarray`.

    Examples
    --------
    >>> isinstance(la.zeros(3), la.ndarray)
    True
    >>> la.ndarray((2, 3)).shape
    (2, 3)
    """

    @api_boundary
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

    # NumPy makes instances of this class where its methods are given it: `matrix.view(np.ndarray)`. They are to be what
    # scripts take them for, ndarrays that are nothing else.
    def __array_wrap__(self, array, context=None, return_scalar=False):
        return array[()] if return_scalar else array

    def __repr__(self):
        return _of_instances("__repr__")(self.view(np.ndarray) if type(self) is ndarray else self)
