"""Suggestions for misspelt names."""
from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question to end an error message with, ``""`` if no known name is similar.

    Examples
    --------
    >>> did_you_mean("num_thread", ["num_threads", "debug"])
    "; did you mean 'num_threads'?"
    >>> did_you_mean("x", ["debug"])
    ''
    """
    import difflib  # imported at the first mistake

    if not isinstance(name, str):
        return ""
    written = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), written, 1)
    return f"; did you mean {written[near[0]]!r}?" if near else ""
