"""Variables, and what is computed from them: arrays without values. Each operation on one is recorded as a call."""
import operator

import numpy as np

from lazyarr._core.control import subgraph
from lazyarr.autodiff.transform import pulled_back
from lazyarr.control.tracing import Form, stand_ins
from lazyarr.nn.layers.base import draws_within
from lazyarr.ops import derivatives
from lazyarr.ops.operands import LazyArray, native
from lazyarr.ops.table import find
from lazyarr.symbolic.recorder import BINARY, IN_PLACE, SAMPLES, Recorded, Shape, Storage, calls_below, record


class Symbol(Recorded):
    """An array that is not there yet: a variable of a symbolic graph, or what is computed of some.

    It has the operators, methods and attributes of an array, and NumPy's and lazyarr's functions take it.

    Attributes
    ----------
    name : str or None
        Of a variable.
    shape : tuple of int or None
        None stands for an extent that is not known.
    dtype : numpy.dtype
    """

    __array_priority__ = 2_000_000.0
    __hash__ = object.__hash__

    # ---- what is known

    @property
    def shape(self):
        """The extents, None for those that are not known."""
        return Shape(self)

    @property
    def dtype(self):
        """As of an array."""
        return self._samples[0].dtype

    @property
    def ndim(self):
        """As of an array."""
        return self._samples[0].ndim

    @property
    def size(self):
        """As of an array; None if an extent is not known."""
        sizes = {x.size for x in self._samples}
        return sizes.pop() if len(sizes) == 1 else None

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        if self.shape[0] is None:
            raise TypeError(f"the length of {self!r} is not known")
        return self.shape[0]

    def __repr__(self):
        kind = "symbol" if self.name is None else f"var {self.name!r}:"
        return f"<{kind} of shape {tuple(self.shape)}, {self.dtype}>"

    def _refuse(self, *_, **__):
        raise TypeError(f"{self!r} has no value: evaluate a graph of it (lazyarr.graph)")

    __bool__ = __int__ = __float__ = __complex__ = __array__ = __contains__ = _refuse
    numpy = item = tolist = tobytes = to_dot = __reduce__ = _refuse

    def __iter__(self):
        return (operator.getitem(self, i) for i in range(len(self)))

    # ---- what can be computed

    def computed(self, name, function, *args, **kwargs):
        """The symbol for the result of a call that has this as an operand."""
        return record(name, function, args, kwargs)

    def can_pass(self, layer):
        """Whether the calls that a layer makes can be recorded separately."""
        return not draws_within(layer)

    def converted(self, dtype, copies):
        """The symbol for the array that NumPy's `asarray`, or `array`, makes of it."""
        return self.copy() if copies and dtype is None else self if dtype is None else self.astype(dtype, copy=copies)

    def __array_ufunc__(self, ufunc, method, *args, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = out
        if method == "__call__":
            return record(f"ufunc {ufunc.__name__}", ufunc, args, kwargs)
        return record(f"ufunc {ufunc.__name__}.{method}", getattr(ufunc, method), args, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        op = find(function)
        return record(f"numpy {op.name}" if op is not None else None, function, args, kwargs)

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
        """As of an array; an extent that is not known can be None, as in ``x.reshape(x.shape[0], -1)``."""
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        if list(extents).count(None) == 1 and -1 not in extents:
            extents = tuple([-1 if extent is None else extent for extent in extents])
        return record("method reshape", method("reshape"), (self, tuple(extents)), kwargs)

    def grad(self, *by):
        """Derivatives of this number by symbols that it is computed of, as of an array that is there.

        Parameters
        ----------
        *by : Symbol

        Returns
        -------
        Symbol or tuple of Symbol
            One for each, of its shape and dtype.
        """
        if self.shape or self.dtype.kind != "f":
            raise TypeError(f"grad: what is differentiated must be one real number, got {self!r}")
        calls, variables = calls_below(self)
        for x in by:
            if not isinstance(x, Symbol) or x.dtype.kind not in "fc":
                raise TypeError(f"grad: expected symbols of floats or complex numbers, got {x!r}")
            if x._call not in calls and not any(x is y for y in variables):
                raise ValueError(f"grad: {self!r} does not depend on {x!r}")
        return record("method grad", gradients, (self, *by), {}, lambda y, *xs: forms_of(xs))

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __setitem__(self, key, value):
        record("operator setitem", operator.setitem, (self, key, value), {})


def gradients(y, *arrays):
    """Derivatives of a number by arrays: one array, or a tuple of several."""
    derivatives.install()
    found = tuple(pulled_back([y], [np.ones_like(y)], list(arrays)))
    return found[0] if len(found) == 1 else found


def forms_of(arrays):
    """The forms of derivatives by some arrays: one array, or a tuple of several."""
    made = tuple(stand_ins([Form(x.shape, x.dtype, x._scalar) for x in arrays]))
    return made[0] if len(made) == 1 else made


def method(name):
    """A function that calls the method of its first argument."""
    return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def _operator(name, swapped=False):
    function = getattr(operator, name)

    def operation(self, *others):
        if name in (*BINARY, *IN_PLACE) and others[0] is None:  # as an extent that is not known
            return NotImplemented
        operands = (*others, self) if swapped else (self, *others)
        return record(f"operator {name}", function, operands, {})

    return operation


def assignment(name):
    """A function that assigns to the attribute of its first argument."""
    return lambda x, value: setattr(x, name, value)


PARTS = frozenset({"T", "mT", "real", "imag"})
FIELDS = frozenset({"_call", "_place", "_samples", "_storage", "name"})
OTHERS = ("neg", "pos", "abs", "invert", "lt", "le", "eq", "ne", "gt", "ge", "getitem")
for _name in BINARY:
    _bare = _name.rstrip("_")
    setattr(Symbol, f"__{_bare}__", _operator(_name))
    setattr(Symbol, f"__r{_bare}__", _operator(_name, swapped=True))
for _name in (*IN_PLACE, *OTHERS):
    setattr(Symbol, f"__{_name}__", _operator(_name))


def variable(shape=(), dtype="float64", name=None):
    """A variable of a symbolic graph: an array that is given when the graph is evaluated.

    Parameters
    ----------
    shape : int, None or tuple of int or None, optional
        None stands for an extent that may differ from one evaluation to the next.
    dtype : dtype_like, optional
        Of numbers or booleans.
    name : str, optional
        By which it is given.

    Returns
    -------
    Symbol

    Raises
    ------
    TypeError
        For a dtype that is none of numbers, a shape that is none, a name that is no string.
    ValueError
        For a negative extent.

    See Also
    --------
    var : the same, where it cannot be taken for a variance
    graph

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
    sizes = SAMPLES if None in extents else SAMPLES[:1]
    samples = stand_ins([Form(tuple([size if n is None else n for n in extents]), dtype) for size in sizes])
    subgraph.set_aside(samples)
    return Symbol(None, 0, samples, Storage(), name)
