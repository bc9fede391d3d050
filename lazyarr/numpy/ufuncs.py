"""The ufunc objects of the namespace: NumPy's ufuncs, called lazily."""
import functools

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.api import LazyArray
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.tracebacks import hide_frames
from lazyarr._core.ir.inner_loops import passing
from lazyarr.numpy.overrides import call_array_ufunc, call_ufunc_override
from lazyarr.ops import accumulation, reduction
from lazyarr.ops.layout import reshape_array
from lazyarr.ops.numpy_fallback import call_changing
from lazyarr.ops.operands import Foreign, lazy
from lazyarr.ops.table import TABLE
from lazyarr.ops.ufunc_rows import UFUNCS
from lazyarr.ops.writing import ufunc_at


class _UFuncType(type):
    def __instancecheck__(cls, instance):
        return issubclass(type(instance), UFunc) or isinstance(instance, np.ufunc)


class UFunc(core.UfuncCaller, metaclass=_UFuncType):
    """A ufunc whose calls join the graph. Its attributes are those of NumPy's ufunc.

    Parameters
    ----------
    ufunc : numpy.ufunc
    waits : bool
        Whether its calls always join the graph.

    Examples
    --------
    >>> la.add(la.arange(3), 1)
    array([1, 2, 3])
    >>> la.add.nin, la.add.identity
    (2, 0)
    """

    def __init__(self, ufunc, waits=False):
        self.__name__ = self.__qualname__ = ufunc.__name__
        self.__doc__ = ufunc.__doc__

    def __getattr__(self, name):
        # nin, nout, nargs, ntypes, types, identity, signature, resolve_dtypes
        try:
            return getattr(self.ufunc, name)
        except AttributeError as error:
            hide_frames(error)
            raise

    def __repr__(self):
        return repr(self.ufunc)

    def __eq__(self, other):
        return self is other or other is self.ufunc

    def __hash__(self):
        return hash(self.ufunc)

    def __reduce__(self):
        known = self.__name__ if self.__name__ in TABLE else self.ufunc
        return _named, (known, type(self)) if self.waits else (known,)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True):
        """Reduce over axes, lazily: see `numpy.ufunc.reduce`."""
        try:
            args = (array, axis, dtype, out, keepdims, initial, where)
            if dtype is None and out is None and keepdims is False and initial is np._NoValue and where is True:
                made = core.reduce_at_once(self, array, axis)
                if made is not NotImplemented:
                    return made
                args = (array, axis)  # other classes that answer ufuncs need not know the rest
            return self._applied("reduce", args, out)
        except BaseException as error:
            hide_frames(error)
            raise

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Accumulate along an axis, lazily: see `numpy.ufunc.accumulate`."""
        try:
            args = (array, axis, dtype, out)
            if dtype is None and out is None:
                made = core.accumulate_at_once(self, array, axis)
                if made is not NotImplemented:
                    return made
                args = (array, axis)
            return self._applied("accumulate", args, out)
        except BaseException as error:
            hide_frames(error)
            raise

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Reduce over slices, lazily: see `numpy.ufunc.reduceat`."""
        try:
            return self._applied("reduceat", (array, indices, axis, dtype, out), out)
        except BaseException as error:
            hide_frames(error)
            raise

    def _applied(self, method, args, out):
        """Apply a method, at once to small evaluated arrays, otherwise lazily."""
        if not self.waits and out is None:
            made = core.values_at_once(getattr(self.ufunc, method), args)
            if made is not NotImplemented:
                return made
        return apply_method(self.ufunc, method, args, {})

    def outer(self, a, b, /, **kwargs):
        """Apply the ufunc to all pairs of elements, lazily: see `numpy.ufunc.outer`."""
        try:
            made = NotImplemented if kwargs else core.outer_at_once(self, a, b)
            return apply_method(self.ufunc, "outer", (a, b), kwargs) if made is NotImplemented else made
        except BaseException as error:
            hide_frames(error)
            raise

    def at(self, a, indices, b=np._NoValue, /):
        """Apply the ufunc in place at indices, including repeated ones: see `numpy.ufunc.at`."""
        try:
            if b is not np._NoValue and core.at_once(self, a, indices, b) is None:
                return
            args = (a, indices) if b is np._NoValue else (a, indices, b)
            if call_ufunc_override(self, "at", args, {}) is not NotImplemented:
                return
            if core.values_at_once(self.ufunc.at, args, True) is NotImplemented:
                apply_method(self.ufunc, "at", args, {})
        except BaseException as error:
            hide_frames(error)
            raise


core.enable_vectorcall(UFunc)


def _named(ufunc, waiting_kind=None):
    made = wrapped(TABLE[ufunc].function if isinstance(ufunc, str) else ufunc)
    return made if waiting_kind is None else waiting(made, waiting_kind)


class UFuncOfArrays(UFunc):
    """A lazy ufunc that returns arrays, as the array API standard has no scalars."""

    def __call__(self, *args, **kwargs):
        return without_scalars(super().__call__(*args, **kwargs))


def without_scalars(made):
    """Replace scalars in the result of a call by arrays."""
    if isinstance(made, core.LazyArray):
        return core.unscalar(made)
    if isinstance(made, np.generic):
        return core.waiting(core.from_numpy(np.array(made)))
    if isinstance(made, tuple):
        parts = [without_scalars(part) for part in made]
        return type(made)._make(parts) if hasattr(made, "_make") else tuple(parts)
    return made


@functools.cache
def waiting(ufunc, kind):
    """Return the cached UFunc of a kind whose calls always join the graph."""
    return kind(ufunc.ufunc, True)


_wrapped = functools.cache(UFunc)


def wrapped(ufunc):
    """Return the UFunc of a NumPy ufunc, cached unless the ufunc is temporary."""
    return UFunc(ufunc) if passing(ufunc) else _wrapped(ufunc)


fma = waiting(wrapped(UFUNCS["fma"].function), UFunc)
__test__ = {"fma": fma.__doc__}  # doctest finds only functions


@api_boundary
def frompyfunc(func, /, nin, nout, **kwargs):
    """Create a ufunc from a Python function, which is called at once: see `numpy.frompyfunc`."""
    return wrapped(np.frompyfunc(func, nin, nout, **kwargs))


def _outer(ufunc, a, b, /, **kwargs):
    if ufunc.nin != 2:
        return ufunc.outer(0, 0)  # raises
    a, b = lazy(a), lazy(b)
    if b.ndim:
        a = reshape_array(a, a.shape + (1,) * b.ndim)
    return core.ufunc(ufunc, (a, b), kwargs or None)


_METHODS = {"reduce": reduction.reduce, "accumulate": accumulation.accumulate, "reduceat": accumulation.reduceat,
            "outer": _outer, "at": ufunc_at}
# Where what a method changes stands among its arguments.
_CHANGED = {"reduce": (3,), "accumulate": (3,), "reduceat": (4,), "at": (0,)}


def apply_method(ufunc, method, args, kwargs):
    """Apply a method of a ufunc, lazily, for `UFunc` and `LazyArray.__array_ufunc__`."""
    if not isinstance(method, str) or method not in _METHODS:
        raise TypeError(f"a ufunc has no method {method!r}")
    if passing(ufunc):
        return apply_to_values(ufunc, method, args, kwargs)
    try:
        return _METHODS[method](ufunc, *args, **kwargs)
    except Foreign:
        made = call_ufunc_override(wrapped(ufunc), method, args, kwargs)
        return apply_to_values(ufunc, method, args, kwargs) if made is NotImplemented else made


def apply_to_values(ufunc, method, args, kwargs):
    """Call a ufunc, or a method of it, by NumPy on evaluated operands."""
    if method == "__call__" and isinstance(kwargs.get("out"), tuple):  # each in a place of its own
        args, kwargs = (*args, *kwargs["out"]), {name: given for name, given in kwargs.items() if name != "out"}
    places = range(ufunc.nin, len(args)) if method == "__call__" else _CHANGED.get(method, ())
    return call_changing(getattr(ufunc, method), args, kwargs, ("out", *places), ufunc.__name__)


def apply_to_others(ufunc, method, inputs, kwargs):
    """Call a ufunc with operands that implement `__array_ufunc__`; with values for LazyArrays if all of them refuse.

    pandas gets values at once, as it would defer to LazyArray.
    """
    operands = (*inputs, *kwargs.get("out", ()))
    if any(isinstance(x, LazyArray) for x in operands) and not any(
            hasattr(type(x), "__pandas_priority__") and not isinstance(x, LazyArray) for x in operands):
        made = call_array_ufunc(wrapped(ufunc), method, inputs, kwargs)
        if made is not NotImplemented:
            return made
    return apply_to_values(ufunc, method, inputs, kwargs)


core.set_hook("ufunc_method", apply_method)
core.set_hook("ufunc_of_others", apply_to_others)
core.set_hook("ufunc_of_values", apply_to_values)
