"""Recorded calls, as a program that runs on arrays.

Arguments and results of a call are symbols. Calls run in the order in which they were recorded, so that writes to an
array show in its views as in NumPy.
"""
import itertools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from lazyarr.autodiff.trees import leaves
from lazyarr.ops.deferred_operands import Deferred

BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift")
IN_PLACE = tuple([f"i{name.rstrip('_')}" for name in BINARY])
"""Names of operators, as in the module of that name."""

_numbers = itertools.count()


class Call:
    """A recorded call: the name under which it is stored, a function, its arguments, and its position in the program.

    `found` maps the extent used for unknown extents to the results for placeholders.
    """

    __slots__ = ("args", "found", "function", "kwargs", "name", "number")

    def __init__(self, name: str | None, function: Callable[..., Any], args: tuple[Any, ...],
                 kwargs: dict[str, Any]) -> None:
        self.name, self.function, self.args, self.kwargs = name, function, args, kwargs
        self.found: dict[Any, Any] = {}
        self.number = next(_numbers)

    def symbols(self) -> list[Any]:
        """The symbols among its arguments."""
        return symbols_in((self.args, self.kwargs))


class Storage:
    """The calls that write to an array; shared by the symbols that are its views."""

    __slots__ = ("writes",)

    def __init__(self) -> None:
        self.writes: list[Call] = []


class Shape(tuple, Deferred):
    """The shape of a symbol, read by functions that get it as an argument."""

    symbol: Any

    def __new__(cls, symbol, extents=()):
        """Make the shape of a symbol, with None for unknown extents."""
        made = super().__new__(cls, extents)
        made.symbol = symbol
        return made

    def computed(self, name, function, *args, **kwargs):
        """Return the symbol for the result of a call that takes the shape."""
        return self.symbol.computed(name, function, *args, **kwargs)


class Program(NamedTuple):
    """The calls, in order, that compute a tree of output symbols from input variables."""

    inputs: list[Any]
    calls: list[Call]
    outputs: object

    def run(self, arrays: Iterable[Any]) -> Any:
        """Compute the outputs from one array for each input, to which the program may write."""
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


def described(call: Call) -> str:
    """Describe a call, for errors and drawings."""
    name = (call.name or str(getattr(call.function, "__name__", repr(call.function)))).rpartition(" ")[2]
    return f"{name}({', '.join(map(repr, call.symbols()))})"


def calls_below(outputs):
    """Return the calls that outputs depend on, in order, and the variables.

    Calls that write to an array are included if the outputs depend on the array or a view of it.
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


def symbols_in(tree: object) -> list[Any]:
    """Return the symbols in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    _mapped(tree, lambda x: found.append(x.symbol if isinstance(x, Shape) else x))
    return found


def filled(tree: Any, value_of: Callable[[Any], Any]) -> Any:
    """Return the tree with each symbol replaced by ``value_of(symbol)``."""
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
