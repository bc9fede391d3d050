"""The calls that symbols are computed by, as a program that can be run on arrays."""
from typing import NamedTuple

from lazyarr.autodiff.trees import leaves
from lazyarr.symbolic.recorder import Call, filled
from lazyarr.symbolic.symbol import Symbol


class Program(NamedTuple):
    """The calls that compute outputs from inputs.

    Attributes
    ----------
    inputs : list of Symbol
        Variables.
    calls : list of Call
        In order.
    outputs : tree of Symbol
    """

    inputs: list[Symbol]
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
