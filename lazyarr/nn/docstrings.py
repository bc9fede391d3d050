"""Docstrings of families: what functions or classes document alike is written once, and put into each."""
import inspect
import types
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from lazyarr._core.host.api_boundary import api_boundary

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")
_AXES = {1: "one spatial axis", 2: "two spatial axes", 3: "three spatial axes"}


def documented(sections: str = "", **parts: str) -> Callable[[_T], _T]:
    """Decorate a function or class, whose docstring gets what its family shares.

    The sections are put before the examples; the parts are what ``{name}`` becomes in the docstring and its sections. A
    part may hold the names of those after it.

    Examples
    --------
    >>> @documented(what="The {who}'s number.", who="caller")
    ... def f():
    ...     '''{what}'''
    >>> f.__doc__
    "The caller's number."
    """
    def decorate(target: _T) -> _T:
        if target.__doc__ is not None:  # as it is under ``python -OO``
            text = inspect.cleandoc(target.__doc__)
            if sections:
                text = text.replace("\nExamples\n", f"\n{inspect.cleandoc(sections)}\n\nExamples\n")
            for name, part in parts.items():
                text = text.replace(f"{{{name}}}", inspect.cleandoc(part))
            target.__doc__ = text
        return target

    return decorate


def of_each_rank(**parts: str) -> Callable[[Callable[_P, _R]], tuple[Callable[_P, _R], ...]]:
    """Decorate a function with a keyword `_rank`: copies of it take its place, for 1, 2 and 3 spatial axes.

    `_rank` has any default, which the copies replace. The parts are what ``{name}`` becomes in docstrings, besides the
    names of `documented_by_rank`.

    Examples
    --------
    >>> @of_each_rank(result="A number.")
    ... def mean_nd(x, *, _rank=0):
    ...     '''The mean over {axes}. {result}'''
    >>> mean_nd[1].__name__, mean_nd[1].__doc__
    ('mean2d', 'The mean over two spatial axes. A number.')
    """
    def decorate(function):
        return tuple([_copy(function, rank, parts) for rank in (1, 2, 3)])

    return decorate


def _copy(function, rank, parts):
    name = function.__name__.replace("_nd", f"{rank}d")
    made = types.FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__)
    made.__doc__, made.__qualname__ = function.__doc__, name  # by which errors call it
    made.__kwdefaults__ = {**function.__kwdefaults__, "_rank": rank}
    made.__annotations__ = {key: value for key, value in function.__annotations__.items() if key != "_rank"}
    signature = inspect.signature(function)
    shown = [parameter for key, parameter in signature.parameters.items() if key != "_rank"]
    vars(made)["__signature__"] = signature.replace(parameters=shown)
    return api_boundary(documented_by_rank(rank, **parts)(made))


def documented_by_rank(rank, **parts):
    """Decorate a function or class for this many spatial axes.

    In its docstring and the parts there may be ``{rank}``, ``{axes}`` in words, ``{ndim}`` with batch and channels,
    ``{size}`` for the type of a size given for each axis, the extents ``{space}``, ``{result_space}`` and ``{taps}``,
    and ``{4s}`` for a four for each axis.
    """
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
        **{f"{n}s": ", ".join([str(n)] * rank) for n in range(1, 10)},
    )
