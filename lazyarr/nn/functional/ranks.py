"""Functions of one, two and three spatial axes: a family is written once."""
import inspect
from collections.abc import Callable
from typing import TypeVar

from lazyarr.nn.docstrings import documented

_Function = TypeVar("_Function", bound=Callable)
_AXES = {1: "one spatial axis", 2: "two spatial axes", 3: "three spatial axes"}


def of_each_rank(*examples: str, **parts: str) -> Callable[[Callable[[int], _Function]], tuple[_Function, ...]]:
    """Decorate what makes the function of a family for a number of spatial axes: those for 1, 2 and 3 take its place.

    Parameters
    ----------
    *examples : str
        One for each function.
    **parts : str
        What ``{name}`` becomes in docstrings, in which there may be also ``{rank}``, ``{axes}`` in words, ``{ndim}``
        with batch and channels, ``{size}`` for the type of a size given for each axis, and the extents ``{space}``,
        ``{result_space}`` and ``{taps}``.

    Returns
    -------
    callable

    Examples
    --------
    >>> @of_each_rank(">>> mean1d(4)", ">>> mean2d(4)", ">>> mean3d(4)", result="A number.")
    ... def means(rank):
    ...     def mean_nd(x):
    ...         '''The mean over {axes}. {result}'''
    ...     return mean_nd
    >>> means[1].__name__, means[1].__doc__.splitlines()[0]
    ('mean2d', 'The mean over two spatial axes. A number.')
    """
    def decorate(make):
        return tuple([_made(make(rank), rank, example, parts) for rank, example in enumerate(examples, 1)])

    return decorate


def _made(function, rank, example, parts):
    function.__name__ = function.__qualname__ = function.__name__.replace("_nd", f"{rank}d")
    if function.__doc__ is not None:  # as it is under ``python -OO``
        function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\nExamples\n--------\n{inspect.cleandoc(example)}\n"
    names = [("D", "T"), ("H", "R"), ("W", "S")][3 - rank:]
    return documented(
        **parts,
        rank=str(rank),
        axes=_AXES[rank],
        ndim=str(rank + 2),
        size="int" if rank == 1 else "int or tuple of int",
        space=", ".join([extent for extent, _ in names]),
        result_space=", ".join([f"{extent}'" for extent, _ in names]),
        taps=", ".join([taps for _, taps in names]),
    )(function)
