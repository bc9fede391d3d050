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
