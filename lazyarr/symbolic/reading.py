"""Symbolic graphs read from files.

Nothing in a file is run: names are looked up in tables of functions, and what is read is checked by declaring the graph
anew, call by call.
"""
import copyreg
import io
import json
import operator
import zipfile
from typing import ClassVar

import numpy as np

from lazyarr._core import api as core
from lazyarr.autodiff.trees import leaves
from lazyarr.ops.operands import native
from lazyarr.symbolic.graph import Graph, graph
from lazyarr.symbolic.names import FORMAT, VERSION, function_named
from lazyarr.symbolic.noting import BINARY, IN_PLACE, note
from lazyarr.symbolic.symbols import Symbol, variable

_ARITHMETIC = frozenset(getattr(operator, name) for name in (*BINARY, *IN_PLACE))


def load_graph(path):
    """Read a graph that `Graph.save` has written.

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
        For a file that is damaged, was not written by `Graph.save`, or by a later version; the error names what is
        wrong in it.

    Notes
    -----
    Reading runs nothing that the file says: it can name functions of NumPy and lazyarr that compute, and no others.

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
    with open(path, "rb") as file:
        return _read(file.read(), f"load_graph: {path}")


def _read(data, what):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise ValueError("it has compressed parts")  # nobody knows what they become
            content = json.loads(archive.read("graph.json"))
            if not isinstance(content, dict) or content.get("format") != FORMAT:
                raise ValueError("it has another format")
            if content.get("version") != VERSION:
                raise ValueError(f"it has version {content.get('version')!r} of the format; {VERSION} can be read")
            arrays = [_array(archive, k) for k in range(content["arrays"])]
        return _Reader(content, arrays).graph()
    except Exception as error:  # whatever the libraries raise that take it apart
        raise ValueError(f"{what} is damaged, or no graph that this version can read: {error}") from error


def _copy(data, assigned):
    """A graph of the parts that one was taken into, to be copied or pickled."""
    made = _read(data, "the graph")
    made.assign(**assigned)
    return made


copyreg.pickle(Graph, lambda graph: (_copy, graph.parts()))


def _array(archive, k):
    with archive.open(f"arrays/{k}.npy") as file:
        x = np.lib.format.read_array(file, allow_pickle=False)
    if not native(x.dtype):
        raise ValueError(f"array {k} has dtype {x.dtype}")
    return x


class _Reader:
    """From the content of a file to a graph."""

    def __init__(self, content, arrays):
        self._content, self._arrays = content, arrays
        self._lazy = {}         # arrays as lazy arrays: one that several calls read is one
        self._found = []        # what each input and each call gave

    def graph(self):
        """The graph, declared anew."""
        inputs = []
        for name, shape, dtype in self._content["inputs"]:
            inputs.append(variable(tuple(shape), np.dtype(dtype), name))
            self._found.append([inputs[-1]])
        for k, (name, args, kwargs) in enumerate(self._content["calls"]):
            try:
                self._found.append(self._called(name, self.decoded(args), self.decoded(kwargs)))
            except Exception as error:
                raise ValueError(f"call {k}, {name!r}: {error}") from error
        return graph(inputs, self.decoded(self._content["outputs"]), self._content["name"])

    def _called(self, name, args, kwargs):
        function = function_named(name)
        if function in _ARITHMETIC and not any(isinstance(x, Symbol) for x in args):  # as of a tuple repeated for ever
            raise ValueError("no operand is a symbol")
        return leaves(args[0].grad(*args[1:]) if name == "method grad" else note(name, function, args, kwargs))

    def decoded(self, x):
        """An argument, or a tree of such."""
        if x is None or type(x) in (bool, int, str):
            return x
        (kind, value), = x.items()
        return self._KINDS[kind](self, value)

    def _symbol(self, value):
        number, place = value
        if not 0 <= number < len(self._found):
            raise ValueError(f"it reads what call {number - len(self._content['inputs'])} gives, which comes later: "
                             "a cycle")
        return self._found[number][place]

    def _array(self, value):
        number, kind, scalar = value
        x = self._arrays[number]
        if kind == "numpy":
            return x[()] if scalar else x
        if number not in self._lazy:
            self._lazy[number] = core.scalar(core.from_numpy(x)) if scalar else core.from_numpy(x)
        return self._lazy[number]

    def _parts(self, value):
        return [self.decoded(part) for part in value]

    _KINDS: ClassVar = {
        "shape": lambda self, value: self._symbol(value).shape,
        "symbol": _symbol,
        "array": _array,
        "float": lambda self, value: float.fromhex(value),
        "complex": lambda self, value: complex(*map(float.fromhex, value)),
        "ellipsis": lambda self, value: Ellipsis,
        "slice": lambda self, value: slice(*self._parts(value)),
        "tuple": lambda self, value: tuple(self._parts(value)),
        "list": _parts,
        "dict": lambda self, value: {key: self.decoded(part) for key, part in value.items()},
        "dtype": lambda self, value: np.dtype(value),
    }
