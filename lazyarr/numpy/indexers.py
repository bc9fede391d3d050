"""Objects of NumPy's namespace that create arrays when indexed or called: `r_`, `mgrid`, `vectorize`."""
import numpy as np

from lazyarr._core import api as core
from lazyarr._core.host.tracebacks import hide_frames
from lazyarr.ops.numpy_fallback import call_changing


class Indexer:
    """`numpy.r_`, `c_`, `mgrid` or `ogrid`, returning LazyArrays.

    `native` handles common keys, and returns NotImplemented for others.
    """

    def __init__(self, name, native=None):
        self._name, self._original, self._native = name, getattr(np, name), native
        self.__doc__ = self._original.__doc__

    def __getitem__(self, key):
        try:
            made = NotImplemented if self._native is None else self._native(key)
            if made is not NotImplemented:
                return made
            made = core.values_at_once(self._original.__getitem__, (key,))
            if made is not NotImplemented:
                return made
            return call_changing(self._original.__getitem__, (key,), {}, (), self._name)
        except BaseException as error:
            hide_frames(error)
            raise

    def __len__(self):
        return len(self._original)

    def __repr__(self):
        return repr(self._original)


class vectorize(np.vectorize):
    """`numpy.vectorize`: arguments are evaluated, the result is a LazyArray.

    Examples
    --------
    >>> la.vectorize(max)(la.array([1, 5]), 3)
    array([3, 5])
    """

    def __call__(self, *args, **kwargs):
        try:
            return call_changing(super().__call__, args, kwargs, (), "vectorize")
        except BaseException as error:
            hide_frames(error)
            raise


r_ = Indexer("r_")
c_ = Indexer("c_")
mgrid = Indexer("mgrid", core.dense_grid)
ogrid = Indexer("ogrid", core.open_grid)
