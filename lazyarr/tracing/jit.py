"""`jit`: trace a function once per signature of its arguments, then run the cached graph."""
import inspect
import traceback
import types
from collections.abc import Awaitable, Iterator
from typing import NamedTuple

import numpy as np

from lazyarr._core.control.signature import settings, signature_of
from lazyarr._core.frontend import trace_scope
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr._core.host.tracebacks import hide_frames
from lazyarr._core.ir.placeholder import TracedValueError
from lazyarr._core.transforms import vjp
from lazyarr.autodiff.callable_wrapper import Wrapped
from lazyarr.autodiff.trees import leaves, paths, rebuilt
from lazyarr.control.signature_cache import SignatureCache
from lazyarr.control.tracing import form_of
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.operands import Foreign, LazyArray, lazy, native
from lazyarr.tracing.capture import TracedFunction
from lazyarr.tracing.guards import Guards


class _CacheEntry(NamedTuple):
    """The graph of a signature, or why it has none; guards; name and description of each leaf of the arguments."""

    traced: TracedFunction | str
    guards: Guards
    descriptions: list[tuple[str, str]]


@api_boundary
def jit(f):
    """Trace f once per signature of its arguments and run the cached graph after that.

    Parameters
    ----------
    f : callable
        A function of arrays, of nested tuples, lists and dicts of arrays, and of other, hashable values. The signature
        consists of the shapes and dtypes of arrays and of the types and values of everything else.

    Returns
    -------
    Jitted
        Takes the arguments of f and returns its results. `Jitted.explain_miss` says why f was last traced or called.

    Notes
    -----
    Each call of the graph

    * reads the current values of other lazy arrays that f uses, such as the parameters of a layer;
    * writes to arguments and other lazy arrays if f does;
    * draws new random numbers from generators of `lazyarr.random`. A generator that f creates from a seed starts again.

    f is traced again when a global or closure variable that it uses is bound to another object. The same holds for
    functions among its arguments.

    Everything else happens only during tracing, such as printing or counting in Python. Values of NumPy arrays, draws
    from NumPy's own generators, attributes of objects and items of lists become constants of the graph. Results are
    new arrays, never views of arguments. Arguments are C-contiguous during tracing, so orders "K" and "A" mean "C".

    If f needs a value, for example to branch on it, it cannot be traced. It then runs as ordinary Python at each call,
    and its operations are lazy as usual. The same holds if f writes to an array and also gets a view of it, or returns
    a generator.

    Inside derivatives f runs without its graph: ``la.jit(la.grad(f))`` is faster than ``la.grad(la.jit(f))``.

    Examples
    --------
    >>> import lazyarr as la
    >>> @la.jit
    ... def norm(x):
    ...     print("tracing")
    ...     return (x * x).sum() ** 0.5
    >>> norm(la.array([3.0, 4.0]))
    tracing
    np.float64(5.0)
    >>> norm(la.array([6.0, 8.0]))
    np.float64(10.0)
    >>> print(norm.explain_miss())
    norm was traced: it had no graph yet
    """
    return Jitted(f)


class Jitted(Wrapped):
    """A function that runs as cached graphs, returned by `jit`."""

    @api_boundary
    def __init__(self, f):
        if not callable(f):
            raise TypeError(f"jit takes a function, got {type(f).__name__}")
        super().__init__(f)
        self._f = f
        self._name = getattr(f, "__name__", type(f).__name__)
        self._cache = SignatureCache()  # of _CacheEntry
        self._calls = self._traces = 0
        self._miss = f"{self._name} has not been called"

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __repr__(self):
        return f"<jit of {self._name}>"

    def __call__(self, /, *args, **kwargs):
        """Call the function, or run its cached graph."""
        try:
            # A derivative or an enclosing trace needs the function's operations, not one opaque call.
            if vjp.is_history_kept() or trace_scope.is_tracing():
                return self._f(*args, **kwargs)
            self._calls += 1
            arrays: list[LazyArray] = []
            try:
                signature = *settings(), signature_of(args, arrays, _leaf), signature_of(kwargs, arrays, _leaf)
            except _HasNoGraph as error:
                self._miss = f"{self._name} was called as it is: {error}"
                return self._f(*args, **kwargs)
            entry, reason = self._cache.take(signature), None
            if entry is not None and isinstance(entry.traced, TracedFunction):
                if (name := entry.guards.changed()) is not None:
                    reason = f"{name}, which it refers to, is another object"
                elif not entry.traced.fits():
                    reason = "an array that it reads besides its arguments has another shape, dtype or layout"
            if entry is None or reason is not None:
                entry = self._trace(signature, reason, args, kwargs, arrays)
            self._cache.put(signature, entry)
            traced = entry.traced
            if isinstance(traced, str):
                self._miss = traced
                return self._f(*args, **kwargs)
            if traced.writes:
                given = [*filter(_is_array, leaves((args, kwargs)))]
                reason = None
                if traced.is_shared(arrays):
                    reason = "it writes to an array whose memory another argument shares"
                elif any(not isinstance(given[k], LazyArray) for k in traced.written):
                    reason = "it writes to an argument that is no lazy array"
                if reason is not None:
                    self._miss = f"{self._name} was called as it is: {reason}"
                    return self._f(*args, **kwargs)
            return traced(arrays)
        except BaseException as error:
            hide_frames(error)
            raise

    def explain_miss(self):
        """Say why the function itself ran, rather than a cached graph, the last time that it did.

        Returns
        -------
        str
        """
        return self._miss

    def stats(self):
        """Count calls, traces and cached graphs.

        Returns
        -------
        dict of str to int
            ``calls``, ``traces``, ``graphs``.
        """
        return {"calls": self._calls, "traces": self._traces,
                "graphs": sum(isinstance(entry.traced, TracedFunction) for entry in list(self._cache.values()))}

    def _trace(self, signature, reason, args, kwargs, arrays):
        descriptions = _describe_arguments(self._f, args, kwargs)
        self._miss = f"{self._name} was traced: {reason or self._difference(descriptions, signature)}"
        self._traces += 1
        guards = Guards(self._f, *filter(callable, leaves((args, kwargs))))

        def function(given):
            values = iter(given)
            tree = rebuilt((args, kwargs), iter([next(values) if _is_array(x) else x for x in leaves((args, kwargs))]))
            before = TracedValueError.raised
            result = self._f(*tree[0], **tree[1])
            if TracedValueError.raised != before:
                raise _HasNoGraph("it needs a value, and goes on without one")
            for y in leaves(result):
                if isinstance(y, Iterator | Awaitable):
                    raise _HasNoGraph(f"it gives a {type(y).__name__}, which runs only once")
            return result

        try:
            traced: TracedFunction | str = TracedFunction(self._name, function, list(map(form_of, arrays)))
        except TracedValueError as error:
            traced = f"{self._name} is called each time: it needs a value {_where(error)}"
        except _HasNoGraph as error:
            traced = f"{self._name} is called each time: {error}"
        return _CacheEntry(traced, guards, descriptions)

    def _difference(self, descriptions, signature):
        """Describe how a signature differs from the most similar cached one."""
        found: list[list[str]] = []
        for other, entry in self._cache.copy().items():  # copied in one step: other threads may change it meanwhile
            before = entry.descriptions
            if other[:-2] != signature[:-2]:
                found.append(["config.fast_math differs" if other[0] != signature[0] else "np.errstate differs"])
            elif [name for name, _ in before] != [name for name, _ in descriptions]:
                found.append(["the arguments have another structure"])
            else:
                found.append([f"{name} is {now}, was {then}" for (name, now), (_, then)
                              in zip(descriptions, before, strict=True) if now != then])
        if not found:
            return "it had no graph yet"
        fewest = min(reversed(found), key=len)
        return "; ".join(fewest) or "the arguments have another structure"


class _HasNoGraph(Exception):
    """An argument or a result that a graph cannot have."""


def _is_array(x):
    return isinstance(x, LazyArray | np.ndarray | np.generic)


def _leaf(x, arrays):
    """Return the part of a signature that stands for anything but a native lazy array."""
    if isinstance(x, Deferred):
        raise _HasNoGraph("a symbol is among its arguments")
    if not _is_array(x):
        try:
            hash(x)
        except TypeError:
            raise _HasNoGraph(f"an argument of type {type(x).__name__} cannot be hashed") from None
        return type(x), repr(x) if isinstance(x, float | complex) else x  # signs of zeros count
    try:
        array = lazy(x)
    except Foreign:
        raise _HasNoGraph(f"{type(x).__name__} is an array of another kind") from None
    if not native(array.dtype):
        raise _HasNoGraph(f"there is an array of dtype {array.dtype}")
    arrays.append(array)
    return array.shape, array.dtype, array._scalar


def _describe_arguments(f, args, kwargs):
    """Return the name and a description of each leaf of the arguments."""
    try:
        given = inspect.signature(f).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        given = {"arguments": args, **kwargs}
    return [(f"{name}{path}", _describe(x)) for name, tree in given.items()
            for path, x in zip(paths(tree), leaves(tree), strict=True)]


def _describe(x):
    if not _is_array(x):
        return f"{x!r}, which is no array"
    return f"{'a scalar' if np.ndim(x) == 0 else f'of shape {x.shape}'} of {x.dtype}"


def _where(error):
    """Return the place in the user's program that needed a value."""
    package = __name__.partition(".")[0]
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").partition(".")[0] != package:
            return f"at {frame.f_code.co_filename}:{line}"
    return "inside lazyarr"
