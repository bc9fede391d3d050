"""Symbols: variables and expressions of them. Each operation on a symbol is recorded as a call."""
import math
import operator

import numpy as np

from lazyarr._core.control import subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.transform import pulled_back
from lazyarr.control.tracing import Form, stand_ins
from lazyarr.nn.layers.base import draws_within
from lazyarr.ops import derivatives
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.operands import LazyArray, native
from lazyarr.ops.table import find
from lazyarr.symbolic.program import BINARY, IN_PLACE, Shape, Storage, calls_below
from lazyarr.symbolic.recorder import HINT, record, short_results


@api_boundary
class Symbol(Deferred):
    """A variable of a symbolic graph, or an expression of variables: an array without values.

    It has the operators, methods and attributes of an array, and can be passed to functions of NumPy and lazyarr.

    Attributes
    ----------
    name : str or None
        The name of a variable.
    shape : tuple of int or None
        None for an unknown extent.
    dtype : numpy.dtype
    """

    __array_priority__ = 2_000_000.0
    __hash__ = object.__hash__

    def __init__(self, call, place, storage, dtype, extents=None, name=None):
        self._call, self._place, self._storage, self.name = call, place, storage, name
        self._dtype = dtype         # None if it was read from a file
        self._extents = extents     # None until they are asked for, if they may depend on unknown ones
        self._found = {} if call is None else call.found

    # ---- attributes

    @property
    def shape(self):
        """The shape, with None for unknown extents."""
        if self._extents is None:
            unknown = (None,) * self.ndim
            if trace_scope.is_tracing():  # in an error, say: nothing else can be traced meanwhile
                return Shape(self, unknown)
            short = short_results(self._call)
            others = unknown if short is None else short[self._place].shape
            self._extents = tuple([n if n == m else None
                                   for n, m in zip(self.placeholder(HINT).shape, others, strict=True)])
        return Shape(self, self._extents)

    @property
    def dtype(self):
        """As of an array."""
        return self._dtype

    @property
    def ndim(self):
        """As of an array."""
        return self.placeholder(HINT).ndim

    @property
    def size(self):
        """The number of elements; None if an extent is unknown."""
        return None if None in self.shape else math.prod(self.shape)

    def placeholder(self, extent):
        """Return an array without values, of this extent where extents are unknown."""
        if extent not in self._found:
            shape = tuple([extent if n is None else n for n in self._extents])
            self._found[extent] = stand_ins([Form(shape, self.dtype)])
            subgraph.set_aside(self._found[extent])  # it is never evaluated
        return self._found[extent][self._place]

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        if self.shape[0] is None:
            raise TypeError(f"the length of {self!r} is not known")
        return self.shape[0]

    def __repr__(self):
        if self.dtype is None:
            return f"<result {self._place} of {self._call.name}>"
        kind = "symbol" if self.name is None else f"var {self.name!r}:"
        return f"<{kind} of shape {tuple(self.shape)}, {self.dtype}>"

    def _refuse(self, *_, **__):
        raise TypeError(f"{self!r} has no value: evaluate a graph of it (lazyarr.graph)")

    __bool__ = __int__ = __float__ = __complex__ = __array__ = __contains__ = _refuse
    numpy = item = tolist = tobytes = to_dot = evaluate_async = __reduce__ = _refuse

    def __iter__(self):
        return (operator.getitem(self, i) for i in range(len(self)))

    # ---- operations

    def computed(self, name, function, *args, **kwargs):
        """Return the symbol for the result of a call that takes this symbol."""
        own = _OWN.get(name)
        return record(name, function, args, kwargs) if own is None else own(*args, **kwargs)

    def can_pass(self, layer):
        """Return whether the calls that a layer makes can be recorded separately."""
        return not draws_within(layer)

    def converted(self, dtype, copies):
        """Return the symbol for the result of NumPy's `asarray` or `array`."""
        if dtype is None:
            return self.copy() if copies else self
        return self.astype(dtype, copy=copies)

    def __array_ufunc__(self, ufunc, method, *args, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = out
        if method == "__call__":
            return record(f"ufunc {ufunc.__name__}", ufunc, args, kwargs)
        return record(f"ufunc {ufunc.__name__}.{method}", getattr(ufunc, method), args, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        op = find(function)
        return self.computed(f"numpy {op.name}" if op is not None else None, function, *args, **kwargs)

    def __getattr__(self, name):
        if name in PARTS:
            return record(f"attribute {name}", operator.attrgetter(name), (self,), {})
        if name.startswith("_") or not callable(getattr(LazyArray, name, None)):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return lambda *args, **kwargs: record(f"method {name}", method(name), (self, *args), kwargs)

    def __setattr__(self, name, value):
        if name in PARTS or name == "flat":
            record(f"assignment {name}", assignment(name), (self, value), {})
        elif name in FIELDS:
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"{name!r} of {self!r} cannot be assigned")

    def reshape(self, *shape, **kwargs):
        """Reshape, as an array does; unknown extents may be None, as in ``x.reshape(x.shape[0], -1)``."""
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        if list(extents).count(None) == 1 and -1 not in extents:
            extents = tuple([-1 if extent is None else extent for extent in extents])
        return record("method reshape", method("reshape"), (self, tuple(extents)), kwargs)

    def squeeze(a, axis=None):
        """Remove the axes whose extents are known to be 1; axes of unknown extents stay."""
        if axis is None:
            axis = tuple([k for k, extent in enumerate(a.shape) if extent == 1])
        return record("method squeeze", method("squeeze"), (a, axis), {})

    def grad(self, *by):
        """Differentiate this real number with respect to symbols that it depends on.

        Parameters
        ----------
        *by : Symbol

        Returns
        -------
        Symbol or tuple of Symbol
            One gradient for each symbol, of its shape and dtype.
        """
        if self.shape or self.dtype.kind != "f":
            raise TypeError(f"grad: what is differentiated must be one real number, got {self!r}")
        calls, variables = calls_below(self)
        for x in by:
            if not isinstance(x, Symbol) or x.dtype.kind not in "fc":
                raise TypeError(f"grad: expected symbols of floats or complex numbers, got {x!r}")
            if x._call not in calls and not any(x is y for y in variables):
                raise ValueError(f"grad: {self!r} does not depend on {x!r}")
        return record("method grad", gradients, (self, *by), {})

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self


_OWN = {"numpy squeeze": Symbol.squeeze}  # methods of symbols that stand for functions, too


def gradients(y, *arrays):
    """Return the gradient of a number with respect to an array, or a tuple of gradients for several."""
    derivatives.install()
    found = tuple(pulled_back([y], [np.ones_like(y)], list(arrays)))
    return found[0] if len(found) == 1 else found


def method(name):
    """Return a function that calls a method of its first argument."""
    return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def _operator(name, swapped=False):
    function = getattr(operator, name)

    @api_boundary
    def operation(self, *others):
        if name in (*BINARY, *IN_PLACE) and others[0] is None:  # as an extent that is not known
            return NotImplemented
        operands = (*others, self) if swapped else (self, *others)
        return record(f"operator {name}", function, operands, {})

    return operation


def assignment(name):
    """Return a function that assigns to an attribute of its first argument."""
    return lambda x, value: setattr(x, name, value)


PARTS = frozenset({"T", "mT", "real", "imag"})
FIELDS = frozenset({"_call", "_dtype", "_extents", "_found", "_place", "_storage", "name"})
OTHERS = ("neg", "pos", "abs", "invert", "lt", "le", "eq", "ne", "gt", "ge", "getitem", "setitem")
for _name in BINARY:
    _bare = _name.rstrip("_")
    setattr(Symbol, f"__{_bare}__", _operator(_name))
    setattr(Symbol, f"__r{_bare}__", _operator(_name, swapped=True))
for _name in (*IN_PLACE, *OTHERS):
    setattr(Symbol, f"__{_name}__", _operator(_name))


@api_boundary
def variable(shape=(), dtype="float64", name=None):
    """Create a variable of a symbolic graph: an array that is given when the graph is evaluated.

    Parameters
    ----------
    shape : int, None or tuple of int or None, optional
        None is an extent that may differ between evaluations.
    dtype : dtype_like, optional
        A numeric dtype or bool.
    name : str, optional
        The keyword under which the array is given.

    Returns
    -------
    Symbol

    Raises
    ------
    TypeError
        For a dtype that is not numeric, an invalid shape, or a name that is not a string.
    ValueError
        For a negative extent.

    See Also
    --------
    var : the same, unless the arguments could mean `numpy.var`
    graph : declares a graph

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.symbolic.variable((None, 3), name="x")
    >>> (x * 2).sum(axis=1)
    <symbol of shape (None,), float64>
    """
    dtype = np.dtype(dtype)
    if not native(dtype):
        raise TypeError(f"variable: dtype must be one of numbers or booleans, got {dtype}")
    if name is not None and not isinstance(name, str):
        raise TypeError(f"variable: name must be a string, got {type(name).__name__}")
    extents = shape if isinstance(shape, tuple | list) else (shape,)
    try:
        extents = tuple([None if n is None else operator.index(n) for n in extents])
    except TypeError:
        raise TypeError(f"variable: shape must be made of integers and None, got {shape!r}") from None
    if any(n is not None and n < 0 for n in extents):
        raise ValueError(f"variable: negative dimensions are not allowed, got {extents}")
    made = Symbol(None, 0, Storage(), dtype, extents, name)
    made.placeholder(HINT)
    return made
