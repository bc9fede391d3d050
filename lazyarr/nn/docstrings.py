"""Docstring templates: shared text of a family of functions or classes is written once and inserted into each."""
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
    """Decorate a function or class: fill the template in its docstring.

    The sections are inserted before the examples. Each part replaces ``{name}`` in the docstring and the sections, and
    may itself contain the names of later parts.

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
    """Decorate a function with a keyword `_rank`: replace it by copies for 1, 2 and 3 spatial axes.

    The copies replace the default of `_rank`. Each part replaces ``{name}`` in docstrings, besides the names of
    `documented_by_rank`.

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
    """Decorate a function or class for a number of spatial axes.

    Its docstring and the parts may contain ``{rank}``, ``{axes}`` in words, ``{ndim}`` with batch and channels,
    ``{size}`` for the type of a size per axis, the extents ``{space}``, ``{result_space}`` and ``{taps}``, and ``{4s}``
    for a 4 per axis.
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
