"""Evaluating on request."""
from lazyarr._core import api as core


def evaluate(*arrays):
    """Compute the values of several arrays in one plan.

    Looking at values evaluates an array anyway; together, arrays share what they have in common and the passes over
    their inputs.

    Parameters
    ----------
    *arrays : LazyArray

    Raises
    ------
    TypeError
        For anything but LazyArrays.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.array([1.0, 2.0, 3.0])
    >>> low, high = x.min(), x.max()
    >>> la.evaluate(low, high)
    >>> float(high - low)
    2.0
    """
    core.evaluate(arrays)
