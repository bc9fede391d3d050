"""Variables, and what is computed of them: each operation on a symbol is noted as a call, to be made later.

A symbol has *samples*, arrays without values: one of its own shape or, where an extent is not known, two of different
ones. A call that is noted is tried on them: its errors come where it is written, and the shape and dtype of its result
are known. An extent that differs between the two samples is not.

Calls are kept in the order in which they were made. That order is theirs when they are made later, so that what
is written to an array shows in its views, as NumPy has it.
"""
import itertools
import operator

import numpy as np

from lazyarr._core import handles, subgraph
from lazyarr.autodiff.transform import pulled_back
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.control.learning import one_at_a_time
from lazyarr.control.tracing import Form, stand_ins
from lazyarr.nn.layer import draws_within
from lazyarr.numpy import draws
from lazyarr.ops import derivatives
from lazyarr.ops.deferring import Deferred
from lazyarr.ops.operands import LazyArray, native
from lazyarr.ops.registry import find

SAMPLES = 61, 67
"""What extents that are not known are in samples: unlike those that programs use."""

_numbers = itertools.count()


class Call:
    """A call that is noted: a name by which it can be stored, a function, its arguments, and its place in the program.

    Among the arguments, and in what is nested in them, are symbols.
    """

    __slots__ = ("args", "function", "kwargs", "name", "number")

    def __init__(self, name, function, args, kwargs):
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.number = next(_numbers)

    def symbols(self):
        """Those among its arguments."""
        return symbols_in((self.args, self.kwargs))


class _Storage:
    """What symbols share that are views of one array: the calls that write to it."""

    __slots__ = ("writes",)

    def __init__(self):
        self.writes = []


class Symbol(Deferred):
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

    def __init__(self, call, place, samples, storage, name=None):
        self._call, self._place, self._samples, self._storage, self.name = call, place, samples, storage, name

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
    numpy = item = tolist = tobytes = __reduce__ = _refuse

    def __iter__(self):
        return (operator.getitem(self, i) for i in range(len(self)))

    # ---- what can be computed

    def computed(self, name, function, *args, **kwargs):
        """What stands for the result of a call, of which this is an operand."""
        return note(name, function, args, kwargs)

    def can_pass(self, layer):
        """Whether the calls that a layer makes can be noted one by one."""
        return not draws_within(layer)

    def converted(self, dtype, copies):
        """What stands for the array that NumPy's `asarray`, or `array`, makes of it."""
        return self.copy() if copies and dtype is None else self if dtype is None else self.astype(dtype, copy=copies)

    def __array_ufunc__(self, ufunc, method, *args, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = out
        if method == "__call__":
            return note(f"ufunc {ufunc.__name__}", ufunc, args, kwargs)
        return note(f"ufunc {ufunc.__name__}.{method}", getattr(ufunc, method), args, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        op = find(function)
        return note(f"numpy {op.name}" if op is not None else None, function, args, kwargs)

    def __getattr__(self, name):
        if name in PARTS:
            return note(f"attribute {name}", operator.attrgetter(name), (self,), {})
        if name.startswith("_") or not callable(getattr(LazyArray, name, None)):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return lambda *args, **kwargs: note(f"method {name}", method(name), (self, *args), kwargs)

    def __setattr__(self, name, value):
        if name in PARTS or name == "flat":
            note(f"assignment {name}", assignment(name), (self, value), {})
        elif name in FIELDS:
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"{name!r} of {self!r} cannot be assigned")

    def reshape(self, *shape, **kwargs):
        """As of an array; an extent that is not known can be None, as in ``x.reshape(x.shape[0], -1)``."""
        extents = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        if list(extents).count(None) == 1 and -1 not in extents:
            extents = tuple([-1 if extent is None else extent for extent in extents])
        return note("method reshape", method("reshape"), (self, tuple(extents)), kwargs)

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
        return note("method grad", gradients, (self, *by), {}, lambda y, *xs: forms_of(xs))

    def __divmod__(self, other):
        return self // other, self % other

    def __setitem__(self, key, value):
        note("operator setitem", operator.setitem, (self, key, value), {})


def gradients(y, *arrays):
    """Derivatives of a number by arrays: one array, or a tuple of several."""
    derivatives.install()
    found = tuple(pulled_back([y], [np.ones_like(y)], list(arrays)))
    return found[0] if len(found) == 1 else found


def forms_of(arrays):
    """What derivatives by some arrays are like: one array, or a tuple of several."""
    made = tuple(stand_ins([Form(x.shape, x.dtype, x._scalar) for x in arrays]))
    return made[0] if len(made) == 1 else made


class Shape(tuple, Deferred):
    """The shape of a symbol, which functions that are given it can be told later."""

    symbol: Symbol

    def __new__(cls, symbol):
        """Extents that differ between the samples are None."""
        shapes = [x.shape for x in symbol._samples]
        made = super().__new__(cls, [a if a == b else None for a, b in zip(shapes[0], shapes[-1], strict=True)])
        made.symbol = symbol
        return made

    def computed(self, name, function, *args, **kwargs):
        """What stands for the result of a call that is told the shape later."""
        return note(name, function, args, kwargs)


def method(name):
    """A function that calls the method of its first argument."""
    return lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)


def _operator(name, swapped=False):
    function = getattr(operator, name)

    def operation(self, *others):
        operands = (*others, self) if swapped else (self, *others)
        return note(f"operator {name}", function, operands, {})

    return operation


def assignment(name):
    """A function that assigns to the attribute of its first argument."""
    return lambda x, value: setattr(x, name, value)


PARTS = frozenset({"T", "mT", "real", "imag"})
FIELDS = frozenset({"_call", "_place", "_samples", "_storage", "name"})
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
OTHERS = ("neg", "pos", "abs", "invert", "lt", "le", "eq", "ne", "gt", "ge", "getitem")
IN_PLACE = tuple([f"i{name.rstrip('_')}" for name in BINARY])
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
    return Symbol(None, 0, samples, _Storage(), name)


def symbols_in(tree):
    """The symbols in nested tuples, lists, dicts and slices."""
    found: list[Symbol] = []
    _gather(tree, found)
    return found


def _gather(tree, found):
    if isinstance(tree, Symbol):
        found.append(tree)
    elif isinstance(tree, Shape):
        found.append(tree.symbol)
    elif isinstance(tree, dict):
        _gather(list(tree.values()), found)
    elif isinstance(tree, list | tuple):
        for part in tree:
            _gather(part, found)
    elif isinstance(tree, slice):
        _gather((tree.start, tree.stop, tree.step), found)


def calls_below(outputs):
    """The calls that outputs are computed by, in order, and the variables they depend on.

    A call that writes to an array is among them if they depend on that array, or on a view of it.
    """
    calls, variables, storages = set(), {}, set()
    stack = symbols_in(outputs)
    while stack:
        symbol = stack.pop()
        reached = [] if symbol._storage in storages else [*symbol._storage.writes]
        storages.add(symbol._storage)
        if symbol._call is None:
            variables[symbol._storage] = symbol
        else:
            reached.append(symbol._call)
        for call in reached:
            if call not in calls:
                calls.add(call)
                stack += call.symbols()
    return sorted(calls, key=lambda call: call.number), list(variables.values())


def filled(tree, value_of):
    """The tree with what `value_of` gives for its symbols."""
    if isinstance(tree, Symbol):
        return value_of(tree)
    if isinstance(tree, Shape):
        return value_of(tree.symbol).shape
    if isinstance(tree, dict):
        return {key: filled(part, value_of) for key, part in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[filled(part, value_of) for part in tree])
    if isinstance(tree, list | tuple):
        return type(tree)([filled(part, value_of) for part in tree])
    if isinstance(tree, slice):
        return slice(*[filled(part, value_of) for part in (tree.start, tree.stop, tree.step)])
    return tree


def note(name, function, args, kwargs, form=None):
    """Note a call; its results as symbols.

    Parameters
    ----------
    name : str or None
        By which it is stored; None if it cannot be.
    function : callable
    args : tuple
    kwargs : dict
    form : callable, optional
        Tried in the function's place: gives arrays like its results.

    Returns
    -------
    tree of Symbol
        What is no array in the result is given as it is.

    Raises
    ------
    TypeError
        If something in the result depends on extents that are not known, or if a function that can be named writes to
        an array that is no symbol.
    """
    call = Call(name, function, args, kwargs)
    given = call.symbols()
    count = max(len(x._samples) for x in given)
    trees, written = [], set()
    for k in range(count):
        sample = filled((args, kwargs), lambda x, k=k: x._samples[min(k, len(x._samples) - 1)])
        with one_at_a_time, draws.learnt(), handles.tracing() as outside:
            try:
                trees.append((form or function)(*sample[0], **sample[1]))
            except Exception as error:
                if count > 1:
                    error.add_note(f"extents of {SAMPLES[k]} stand for those that are not known")
                raise
        written |= {id(x) for x, after in zip(outside.arrays, outside.after, strict=True) if after is not None}
    storages = {subgraph.base_id(x): symbol._storage for symbol in given for x in symbol._samples}
    subgraph.set_aside([x for tree in trees for x in leaves(tree) if isinstance(x, LazyArray)])
    if name is not None and not written <= storages.keys():
        raise TypeError(f"{name}: a symbol cannot be written to an array, only to what is made of symbols, such as "
                        "numpy.zeros_like of one")
    stored = {storages[base] for base in written & storages.keys()} | {x._storage for x in _targets(name, args, kwargs)}
    for storage in stored:
        storage.writes.append(call)
    return _symbols(call, trees, given, storages)


WRITERS = frozenset({
    "method fill", "method sort", "method partition", "method put", "numpy copyto", "numpy put", "numpy putmask",
    "numpy place", "numpy fill_diagonal", "numpy put_along_axis", "operator setitem",
    *[f"operator {name}" for name in IN_PLACE],
})


def _targets(name, args, kwargs):
    """The symbols that a call is known to write to, even if nothing changes in samples, where a slice may be empty."""
    if name is not None and (name in WRITERS or name.startswith("assignment ") or name.endswith(".at")):
        return symbols_in(args[:1])
    return symbols_in(kwargs.get("out"))


def _symbols(call, trees, given, storages):
    """The results of a call on samples as symbols."""
    columns = list(zip(*map(leaves, trees), strict=True))
    known = {id(sample): symbol for symbol in given for sample in symbol._samples}
    made = []
    for place, samples in enumerate(columns):
        if not isinstance(samples[0], LazyArray):
            if any(not np.array_equal(x, samples[0]) for x in samples):
                raise TypeError(f"{call.name or call.function}: its result depends on extents that are not known")
            made.append(samples[0])
        elif id(samples[0]) in known:  # `out`, or the array itself
            made.append(known[id(samples[0])])
        else:
            if len({(x.ndim, x.dtype) for x in samples}) > 1:
                raise TypeError(f"{call.name or call.function}: its result depends on extents that are not known")
            storage = storages.setdefault(subgraph.base_id(samples[0]), _Storage())
            made.append(Symbol(call, place, list(samples), storage))
    return rebuilt(trees[0], iter(made))
