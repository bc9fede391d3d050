"""Reading symbolic graphs from files.

Nothing in a file is executed: names are looked up in tables of functions, and calls are only recorded. Wrong arguments
show when the graph is evaluated.
"""
import copyreg
import io
import operator
import os
import re
from typing import Any, ClassVar

import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.trees import leaves
from lazyarr.backends import choice
from lazyarr.serialization import check_regular
from lazyarr.symbolic.archive import unpacked
from lazyarr.symbolic.function_registry import function_named
from lazyarr.symbolic.graph import Graph
from lazyarr.symbolic.program import BINARY, IN_PLACE, Call, Program, Shape, symbols_in
from lazyarr.symbolic.symbol import Symbol, gradients, variable

_ARITHMETIC = frozenset(getattr(operator, name) for name in (*BINARY, *IN_PLACE))
_DTYPE = re.compile(r"[<>|=]?[?a-zA-Z]\d{0,9}(\[\w{1,9}\])?")  # those with fields have other strings


@api_boundary
def load_graph(path: str | os.PathLike[str]) -> Graph:
    """Read a graph from a file written by `Graph.save`.

    Parameters
    ----------
    path : path_like

    Returns
    -------
    Graph

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If the file is damaged, was not written by `Graph.save` or by a later version of it, or uses a backend that is
        not registered here. The message names what is wrong.

    Notes
    -----
    Untrusted files are safe to read: reading executes nothing, and allocates at most a multiple of the file's size,
    whatever sizes the file claims. Files can name only functions of NumPy and lazyarr that compute, and registered
    backends. Evaluating the graph runs these functions, with the time and memory that they need.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import lazyarr as la
    >>> x = la.var((None,), name="x")
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "norm.graph"
    >>> la.graph(x, (x * x).sum() ** 0.5).save(path)
    >>> la.load_graph(path)([3.0, 4.0])
    np.float64(5.0)
    """
    what = f"load_graph: {path}"
    check_regular(path, what)
    with open(path, "rb") as file:
        return _read(file, what)


def _read(file, what):
    try:
        return _Reader(*unpacked(file)).graph()
    except Exception as error:  # whatever the libraries raise that take it apart
        raise ValueError(f"{what} is damaged, or no graph that this version can read: {error}") from error


def _copy(data, assigned):
    """Rebuild a graph from its `parts`, for copies and pickles."""
    made = _read(io.BytesIO(data), "the graph")
    made.assign(**assigned)
    return made


copyreg.pickle(Graph, lambda graph: (_copy, graph.parts()))


class _Reader:
    """Builds a graph from the content of a file."""

    def __init__(self, content, arrays):
        self._content, self._arrays = content, arrays
        self._lazy = {}         # arrays as lazy arrays: one that several calls read is one
        self._inputs = [variable(tuple(shape), _dtype(dtype), _checked(name, str))
                        for name, shape, dtype in content["inputs"]]
        self._calls = []

    def graph(self):
        """Return the graph of the recorded calls."""
        for k, (name, args, kwargs) in enumerate(self._content["calls"]):
            try:
                self._calls.append(self._call(name, self.decoded(args), self.decoded(kwargs)))
            except Exception as error:
                raise ValueError(f"call {k}, {name!r}: {error}") from error
        names: list[Any] = [x.name for x in self._inputs]
        if len(set(names)) < len(names):
            raise ValueError("two inputs have one name")
        outputs = self.decoded(self._content["outputs"])
        found = leaves(outputs)
        if not found or len(found) != len(symbols_in(outputs)) or not all(isinstance(y, Symbol) for y in found):
            raise ValueError("an output is no symbol, or there are none")  # shapes are none
        backend = self._content.get("backend")
        return Graph(Program(self._inputs, self._calls, outputs), names, _checked(self._content["name"], str),
                     None if backend is None else choice.checked(_checked(backend, dict)))

    def _call(self, name, args, kwargs):
        function = gradients if name == "method grad" else function_named(name)
        _checked(args, tuple), _checked(kwargs, dict)
        # A shape alone would be a tuple that is repeated for ever.
        operands = (
            [x for x in args if isinstance(x, Symbol)] if function in _ARITHMETIC else symbols_in((args, kwargs))
        )
        if not operands:
            raise ValueError("no operand is a symbol")
        return Call(name, function, args, kwargs)

    def decoded(self, x):
        """Decode an argument, or a tree of arguments."""
        if x is None or type(x) in (bool, int, str):
            return x
        (kind, value), = _checked(x, dict).items()
        return self._KINDS[kind](self, value)

    def _symbol(self, value):
        number, place = (_checked(n, int) for n in value)
        first = len(self._inputs)
        if not 0 <= number < first + len(self._calls):
            raise ValueError(f"it reads what call {number - first} gives, which comes later: a cycle")
        if number >= first:
            return Symbol(self._calls[number - first], place, None, None)
        if place:
            raise ValueError(f"an input has no part {place}")
        return self._inputs[number]

    def _array(self, value):
        number, kind, scalar = value
        if not 0 <= _checked(number, int) < len(self._arrays):
            raise ValueError(f"there is no array {number}")
        x = self._arrays[number]
        if scalar and x.ndim:
            raise ValueError(f"array {number} is no scalar")
        if kind == "numpy":
            return x[()] if scalar else x
        if number not in self._lazy:
            self._lazy[number] = core.scalar(core.from_numpy(x)) if scalar else core.from_numpy(x)
        return self._lazy[number]

    def _parts(self, value):
        return [self.decoded(part) for part in _checked(value, list)]

    _KINDS: ClassVar = {
        "shape": lambda self, value: Shape(self._symbol(value)),
        "symbol": _symbol,
        "array": _array,
        "float": lambda self, value: float.fromhex(value),
        "complex": lambda self, value: complex(*map(float.fromhex, value)),
        "ellipsis": lambda self, value: Ellipsis,
        "slice": lambda self, value: slice(*self._parts(value)),
        "tuple": lambda self, value: tuple(self._parts(value)),
        "list": _parts,
        "dict": lambda self, value: {key: self.decoded(part) for key, part in _checked(value, dict).items()},
        "dtype": lambda self, value: _dtype(value),
    }


def _checked(x, kind):
    """Return a value from a file; raise if it does not have the expected type."""
    if type(x) is not kind:
        raise ValueError(f"it has {type(x).__name__} where {kind.__name__} should be")
    return x


def _dtype(name):
    if not _DTYPE.fullmatch(_checked(name, str)):
        raise ValueError(f"there is no dtype {name!r}")
    return np.dtype(name)
