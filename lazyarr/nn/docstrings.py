"""Docstrings of families: what functions or classes document alike is written once, and put into each."""
import inspect


def documented(sections="", **parts):
    """Decorate a function or class, whose docstring gets what its family shares.

    Parameters
    ----------
    sections : str, optional
        Put before the examples.
    **parts : str
        What ``{name}`` becomes in the docstring and its sections. A part may hold the names of those after it.

    Returns
    -------
    callable

    Examples
    --------
    >>> from lazyarr.nn.docstrings import documented
    >>> @documented(what="The {who}'s number.", who="caller")
    ... def f():
    ...     '''{what}'''
    >>> f.__doc__
    "The caller's number."
    """
    def decorate(target):
        if target.__doc__ is not None:  # as it is under ``python -OO``
            text = inspect.cleandoc(target.__doc__)
            if sections:
                text = text.replace("\nExamples\n", f"\n{inspect.cleandoc(sections)}\n\nExamples\n")
            for name, part in parts.items():
                text = text.replace(f"{{{name}}}", inspect.cleandoc(part))
            target.__doc__ = text
        return target

    return decorate


def documented_by_rank(rank, sections):
    """Decorate the function of a family that works on 1, 2 or 3 spatial axes.

    Parameters
    ----------
    rank : int
        The number of spatial axes.
    sections : str
        They may hold ``{rank}``, ``{ndim}`` with batch and channels, ``{size}`` for the type of a size given for each
        axis, and the extents ``{space}``, ``{result_space}`` and ``{taps}``.

    Returns
    -------
    callable
    """
    names = [("D", "T"), ("H", "R"), ("W", "S")][3 - rank:]
    return documented(
        sections,
        rank=str(rank),
        ndim=str(rank + 2),
        size="int" if rank == 1 else "int or tuple of int",
        space=", ".join([extent for extent, _ in names]),
        result_space=", ".join([f"{extent}'" for extent, _ in names]),
        taps=", ".join([taps for _, taps in names]),
    )
