"""What somebody who misspelt a name may have meant."""
from collections.abc import Iterable


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question that ends a message about a name that there is not, ``""`` where none is like it.

    Examples
    --------
    >>> did_you_mean("num_thread", ["num_threads", "debug"])
    "; did you mean 'num_threads'?"
    >>> did_you_mean("x", ["debug"])
    ''
    """
    import difflib  # not before the first mistake

    if not isinstance(name, str):
        return ""
    written = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), written, 1)
    return f"; did you mean {written[near[0]]!r}?" if near else ""
