"""Recorded calls, as a program that can be run on arrays.

Among the arguments of a call are symbols, and so are its results. Calls are kept in the order in which they were made.
That order is theirs when they are made later, so that what is written to an array shows in its views, as NumPy has it.
"""
import itertools
from typing import Any, NamedTuple

from lazyarr.autodiff.trees import leaves
from lazyarr.ops.deferred_operands import Deferred

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
IN_PLACE = tuple([f"i{name.rstrip('_')}" for name in BINARY])
"""Names of operators, as in the module of that name."""

_numbers = itertools.count()


class Call:
    """A recorded call: a name by which it can be stored, a function, its arguments, and its place in the program.

    `found` has its results for placeholders, by the extent that unknown extents have there.
    """

    __slots__ = ("args", "found", "function", "kwargs", "name", "number")

    def __init__(self, name, function, args, kwargs):
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.found = {}
        self.number = next(_numbers)

    def symbols(self):
        """Those among its arguments."""
        return symbols_in((self.args, self.kwargs))


class Storage:
    """Shared by symbols that are views of one array: the calls that write to it."""

    __slots__ = ("writes",)

    def __init__(self):
        self.writes = []


class Shape(tuple, Deferred):
    """The shape of a symbol, read by functions that get it as an argument."""

    symbol: Any

    def __new__(cls, symbol, extents=()):
        """The extents are None where they are not known."""
        made = super().__new__(cls, extents)
        made.symbol = symbol
        return made

    def computed(self, name, function, *args, **kwargs):
        """The symbol for the result of a call that gets the shape later."""
        return self.symbol.computed(name, function, *args, **kwargs)


class Program(NamedTuple):
    """The calls, in order, that compute outputs, a tree of symbols, from inputs, which are variables."""

    inputs: list[Any]
    calls: list[Call]
    outputs: object

    def run(self, arrays):
        """The outputs, computed from one array for each input, to which the program may write."""
        values = {x._storage: {0: array} for x, array in zip(self.inputs, arrays, strict=True)}

        def value_of(symbol):
            found = values[symbol._call or symbol._storage]
            if symbol._place not in found:  # as a file may say
                raise ValueError(f"there is no {symbol!r}")
            return found[symbol._place]

        for call in self.calls:
            try:
                args, kwargs = filled((call.args, call.kwargs), value_of)
                values[call] = dict(enumerate(leaves(call.function(*args, **kwargs))))
            except Exception as error:
                error.add_note(f"in {described(call)}")
                raise
        return filled(self.outputs, value_of)


def described(call):
    """A call as an error or a drawing names it."""
    name = (call.name or getattr(call.function, "__name__", repr(call.function))).rpartition(" ")[2]
    return f"{name}({', '.join(map(repr, call.symbols()))})"


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


def symbols_in(tree):
    """The symbols in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    _mapped(tree, lambda x: found.append(x.symbol if isinstance(x, Shape) else x))
    return found


def filled(tree, value_of):
    """The tree with what `value_of` gives for its symbols."""
    return _mapped(tree, lambda x: value_of(x.symbol).shape if isinstance(x, Shape) else value_of(x))


def _mapped(tree, function):
    if isinstance(tree, Deferred):
        return function(tree)
    if isinstance(tree, dict):
        return {key: _mapped(part, function) for key, part in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[_mapped(part, function) for part in tree])
    if isinstance(tree, list | tuple):
        return type(tree)([_mapped(part, function) for part in tree])
    if isinstance(tree, slice):
        return slice(*[_mapped(part, function) for part in (tree.start, tree.stop, tree.step)])
    return tree
