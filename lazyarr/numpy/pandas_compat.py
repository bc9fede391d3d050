"""Operators between pandas' DataFrames and LazyArrays.

A DataFrame refuses matrices that are no ndarrays, and takes what its columns give with a lazy number for a column of
its own, though it is a LazyArray. So a priority makes it leave operators on these to LazyArrays, which
hand it their values.

`frame += x` takes what the operator returns for the result and bypasses LazyArrays then. It fails, but for vectors:
`lazyarr.adapters` helps in programs that are run, elsewhere `frame = frame + x` does.
"""
_FRAMES = 4000  # the priority of DataFrames; that of Series is 3000, that of Index 2000


class _AboveFrames:
    """A priority above that of DataFrames alone: with a Series or an Index all is well."""

    def __gt__(self, other):
        return other >= _FRAMES


_PRIORITY = _AboveFrames()


def priority(x):
    """`__pandas_priority__`, which pandas' operators compare with their own."""
    if x.ndim == 1:  # which frames take as they take vectors of NumPy's
        raise AttributeError("__pandas_priority__")
    return _PRIORITY
