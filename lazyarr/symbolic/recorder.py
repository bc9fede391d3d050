"""Recorded calls, to be made later: among their arguments are symbols, and so are their results.

A symbol has *samples*, arrays without values: one of its own shape or, where an extent is not known, several of
different ones. A recorded call is tried on them: its errors come where it is written, and the shape and dtype of
its result are known. An extent that differs between the samples is not.

Calls are kept in the order in which they were made. That order is theirs when they are made later, so that what
is written to an array shows in its views, as NumPy has it.
"""
import contextlib
import itertools
import warnings

import numpy as np

from lazyarr._core.control import subgraph
from lazyarr._core.frontend import trace_scope
from lazyarr.autodiff.trees import leaves, rebuilt
from lazyarr.numpy import lazy_random
from lazyarr.ops.deferred_operands import Deferred
from lazyarr.ops.operands import LazyArray
from lazyarr.tracing.capture import one_at_a_time

SAMPLES = 61, 67, 1
"""Unknown extents in samples: two unlike those that programs use, one too short for most slices.

The last one does not do for every call: results of other calls, and what is computed from them, have two samples.
"""
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
IN_PLACE = tuple([f"i{name.rstrip('_')}" for name in BINARY])
"""Names of operators, as in the module of that name."""

_numbers = itertools.count()


class Call:
    """A recorded call: a name by which it can be stored, a function, its arguments, and its place in the program.

    Among the arguments, and in what is nested in them, are symbols.
    """

    __slots__ = ("args", "function", "kwargs", "name", "number")

    def __init__(self, name, function, args, kwargs):
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.number = next(_numbers)

    def symbols(self):
        """Those among its arguments."""
        return symbols_in((self.args, self.kwargs))


class Storage:
    """Shared by symbols that are views of one array: the calls that write to it."""

    __slots__ = ("writes",)

    def __init__(self):
        self.writes = []


class Recorded(Deferred):
    """The origin of a symbol: the result of a call, or a variable if there is none."""

    def __init__(self, call, place, samples, storage, name=None):
        self._call, self._place, self._samples, self._storage, self.name = call, place, samples, storage, name

    def __repr__(self):
        return f"<result {self._place} of {self._call.name}>"


class Shape(tuple, Deferred):
    """The shape of a symbol, read by functions that get it as an argument."""

    symbol: Recorded

    def __new__(cls, symbol):
        """Extents that differ between the samples are None."""
        shapes = [x.shape for x in symbol._samples]
        made = super().__new__(cls, [n[0] if len({*n}) == 1 else None for n in zip(*shapes, strict=True)])
        made.symbol = symbol
        return made

    def computed(self, name, function, *args, **kwargs):
        """The symbol for the result of a call that gets the shape later."""
        return record(name, function, args, kwargs)


def symbols_in(tree):
    """The symbols in nested tuples, lists, dicts and slices."""
    found: list[Recorded] = []
    _gather(tree, found)
    return found


def _gather(tree, found):
    if isinstance(tree, Recorded):
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
    if isinstance(tree, Recorded):
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


def record(name, function, args, kwargs, form=None):
    """Record a call; return its results as symbols.

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
        If something in the result depends on extents that are not known, if a function that can be named writes to an
        array that is no symbol, or if a function that is given symbols meets other symbols.
    """
    if trace_scope.is_tracing():
        raise TypeError("a function that is called with symbols has found another outside its arguments: it must be "
                        "given that, too")
    if name in ("numpy squeeze", "method squeeze"):
        args, kwargs = _with_axes_known(*args, **kwargs)
    call = Call(name, function, args, kwargs)
    given = call.symbols()
    count = min({len(x._samples) for x in given} - {1}, default=1)
    trees, written = [], set()
    for k in range(min(count, 2)):
        try:
            tree, changed = _tried(form or function, args, kwargs, k)
        except Exception as error:
            if count > 1:
                error.add_note(f"extents of {SAMPLES[k]} stand for those that are not known")
            raise
        trees.append(tree)
        written |= changed
    if count == len(SAMPLES):
        with warnings.catch_warnings(), contextlib.suppress(Exception):
            warnings.simplefilter("ignore")
            tree, changed = _tried(form or function, args, kwargs, count - 1)
            if _are_alike(trees[0], tree):
                trees.append(tree)
                written |= changed
    storages = {subgraph.base_id(x): symbol._storage for symbol in given for x in symbol._samples}
    subgraph.set_aside([x for tree in trees for x in leaves(tree) if isinstance(x, LazyArray)])
    if name is not None and not written <= storages.keys():
        raise TypeError(f"{name}: a symbol cannot be written to an array, only to what is made of symbols, such as "
                        "numpy.zeros_like of one")
    stored = {storages[base] for base in written & storages.keys()} | {x._storage for x in _targets(name, args, kwargs)}
    for storage in stored:
        storage.writes.append(call)
    return _symbols(call, trees, given, storages)


def _tried(function, args, kwargs, k):
    """The results of a call on the samples number k, and the arrays it writes to, by id."""
    sample = filled((args, kwargs), lambda x: x._samples[min(k, len(x._samples) - 1)])
    with one_at_a_time, lazy_random.traced_draws(), trace_scope.tracing() as outside:
        tree = function(*sample[0], **sample[1])
        for y in leaves(tree):  # a selection has a shape only while it may take its mask apart
            getattr(y, "shape", None)
    return tree, {id(x) for x, after in zip(outside.arrays, outside.after, strict=True) if after is not None}


def _are_alike(tree, other):
    """Whether results have one form, extents aside."""
    xs, ys = leaves(tree), leaves(other)
    return len(xs) == len(ys) and all(
        (x.ndim, x.dtype) == (y.ndim, y.dtype) if isinstance(x, LazyArray) else np.array_equal(x, y)
        for x, y in zip(xs, ys, strict=True))


def _with_axes_known(a, axis=None):
    """The arguments of `squeeze` with explicit axes: without, unknown extents that happen to be 1 would go, too."""
    if axis is None:
        axis = tuple([k for k, extent in enumerate(a.shape) if extent == 1])
    return (a, axis), {}


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
            storage = storages.setdefault(subgraph.base_id(samples[0]), Storage())
            made.append(type(given[0])(call, place, list(samples), storage))
    return rebuilt(trees[0], iter(made))
