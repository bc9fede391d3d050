"""The stored form of symbolic graphs: a list of calls by name, and arrays."""
import numpy as np

from lazyarr.ops.operands import LazyArray, native
from lazyarr.symbolic.archive import packed
from lazyarr.symbolic.function_registry import function_named
from lazyarr.symbolic.program import Shape, described
from lazyarr.symbolic.symbol import Symbol


def stored(program, names, name, frozen=None, backend=None):
    """Return the bytes of a file: see `Graph.save`.

    `names` are those of the program's inputs. `frozen` has pairs of arrays and the values stored for them. `backend`
    maps operations to names, or is None.
    """
    writer = _Writer(program, frozen or ())
    calls = []
    for call in program.calls:
        if call.name is None:
            raise TypeError(f"save: {described(call)} is a call of a Python object, which a file cannot hold")
        try:
            function_named(call.name)
            calls.append([call.name, writer.encoded(call.args), writer.encoded(call.kwargs)])
        except (TypeError, ValueError) as error:
            raise TypeError(f"save: {described(call)} cannot be stored: {error}") from None
    content = {
        "name": name, "calls": calls, "outputs": writer.encoded(program.outputs),
        "inputs": [[key, list(x.shape), x.dtype.str] for key, x in zip(names, program.inputs, strict=True)],
    }
    if backend is not None:
        content["backend"] = backend
    try:
        return packed(content, writer.arrays)
    except ValueError as error:
        raise TypeError(f"save: {name} cannot be stored: {error}") from None


class _Writer:
    """Encodes arguments as JSON values, and collects arrays in a list."""

    def __init__(self, program, frozen):
        self.arrays = []
        self._frozen = {id(x): value for x, value in frozen}
        self._places = {}       # of arrays, by id
        self._held = []         # ids are those of living arrays
        self._numbers = {x._storage: k for k, x in enumerate(program.inputs)}
        self._numbers |= {call: len(program.inputs) + k for k, call in enumerate(program.calls)}

    def encoded(self, x):
        """Encode an argument, or a tree of arguments."""
        if x is None or type(x) in (bool, int, str):
            return x
        for kind, test, encode in self._KINDS:
            if isinstance(x, test):
                return {kind: encode(self, x)}
        raise TypeError(f"{type(x).__name__} is neither an array nor a number")

    def _symbol(self, x):
        return [self._numbers[x._call or x._storage], x._place]

    def _array(self, x):
        if id(x) not in self._places:
            value = self._frozen.get(id(x), x).numpy() if isinstance(x, LazyArray) else np.asarray(x)
            if not native(value.dtype):
                raise TypeError(f"an array has dtype {value.dtype}")
            self._places[id(x)] = len(self.arrays)
            self._held.append(x)
            self.arrays.append(value)
        kind = "lazy" if isinstance(x, LazyArray) else "numpy"
        return [self._places[id(x)], kind, x._scalar if kind == "lazy" else isinstance(x, np.generic)]

    def _parts(self, x):
        return [self.encoded(part) for part in x]

    def _pairs(self, x):
        if any(type(key) is not str for key in x):
            raise TypeError("keys of dicts must be strings")
        return {key: self.encoded(part) for key, part in x.items()}

    _KINDS = (
        ("shape", Shape, lambda self, x: self._symbol(x.symbol)),
        ("symbol", Symbol, _symbol),
        ("array", LazyArray | np.ndarray | np.generic, _array),
        ("float", float, lambda self, x: x.hex()),
        ("complex", complex, lambda self, x: [x.real.hex(), x.imag.hex()]),
        ("ellipsis", type(Ellipsis), lambda self, x: True),
        ("slice", slice, lambda self, x: self._parts((x.start, x.stop, x.step))),
        ("tuple", tuple, _parts),
        ("list", list, _parts),
        ("dict", dict, _pairs),
        ("dtype", np.dtype | type, lambda self, x: np.dtype(x).str),
    )
