"""`numpy.lib.mixins`: operators that give the ufuncs of `lazyarr.numpy` to a class's `__array_ufunc__`."""
import types

import numpy as np

from lazyarr.numpy.ufuncs import wrapped

__all__ = ["NDArrayOperatorsMixin"]


class NDArrayOperatorsMixin(np.lib.mixins.NDArrayOperatorsMixin):
    """All operators by `__array_ufunc__`: see `numpy.lib.mixins.NDArrayOperatorsMixin`."""

    __slots__ = ()


def _with_own_ufunc(method):
    """A method of NumPy's class, which finds its ufunc in its closure, bound to the one of the drop-in face."""
    cells = tuple(types.CellType(wrapped(cell.cell_contents)) for cell in method.__closure__)
    return types.FunctionType(method.__code__, method.__globals__, method.__name__, method.__defaults__, cells)


for _name, _method in vars(np.lib.mixins.NDArrayOperatorsMixin).items():
    if isinstance(_method, types.FunctionType):
        setattr(NDArrayOperatorsMixin, _name, _with_own_ufunc(_method))
