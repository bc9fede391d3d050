"""Operators between pandas' DataFrames and LazyArrays.

A DataFrame refuses matrices that are not ndarrays, and stores LazyArrays as columns when it combines its columns with a
lazy number. A higher priority makes DataFrames defer these operators to LazyArrays, which pass their values.

`frame += x` uses the result of the operator and bypasses LazyArrays, so it fails except for vectors. In programs that
lazyarr runs, `lazyarr.adapters` fixes that; elsewhere, write `frame = frame + x`.
"""
_FRAMES = 4000  # the priority of DataFrames; Series have 3000, Index 2000


class _AboveFrames:
    """A priority above that of DataFrames only, since Series and Index need no help."""

    def __gt__(self, other):
        return other >= _FRAMES


_PRIORITY = _AboveFrames()


def priority(x):
    """Return `__pandas_priority__`, which pandas' operators compare with their own."""
    if x.ndim == 1:  # frames accept vectors
        raise AttributeError("__pandas_priority__")
    return _PRIORITY
