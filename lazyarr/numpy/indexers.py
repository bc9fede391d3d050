"""Objects of NumPy's namespace that make arrays when they are indexed or called: `r_`, `mgrid`, `vectorize`."""
import numpy as np

from lazyarr.ops.operands import values, wrap


class Indexer:
    """`numpy.r_`, `c_`, `mgrid` or `ogrid`, giving LazyArrays."""

    def __init__(self, original):
        self._original = original
        self.__doc__ = original.__doc__

    def __getitem__(self, key):
        return wrap(self._original[values(key)])

    def __len__(self):
        return len(self._original)

    def __repr__(self):
        return repr(self._original)


class vectorize(np.vectorize):
    """`numpy.vectorize`: arguments are evaluated, the result is a LazyArray.

    Examples
    --------
    >>> import lazyarr as la
    >>> la.vectorize(max)(la.array([1, 5]), 3)
    array([3, 5])
    """

    def __call__(self, *args, **kwargs):
        return wrap(super().__call__(*values(args), **values(kwargs)))


r_ = Indexer(np.r_)
c_ = Indexer(np.c_)
mgrid = Indexer(np.mgrid)
ogrid = Indexer(np.ogrid)
