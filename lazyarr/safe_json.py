"""JSON from files that may come from elsewhere."""
import json
import re

import numpy as np

MOST_DEPTH = 200
"""How deep it may be nested: what takes trees apart calls itself."""
MOST_DIGITS = 1000
"""How long its integers may be: to read one takes time that grows with the square."""
_STRING = re.compile(r'"(?:[^"\\]|\\.?)*+"?', re.DOTALL)


def loads(text):
    """Decode a text of JSON of untrusted origin.

    Raises
    ------
    ValueError
        If it is none, is nested too deep, has too long an integer, or the same key twice in one object.

    Examples
    --------
    >>> loads('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    marks = np.frombuffer(_STRING.sub("", text).encode("ascii"), np.uint8)  # all but strings is ASCII
    steps = np.isin(marks, list(b"[{")).astype(np.int8) - np.isin(marks, list(b"]}"))
    if np.any(np.cumsum(steps, dtype=np.int32) > MOST_DEPTH):
        raise ValueError(f"it is nested more than {MOST_DEPTH} deep")
    return json.loads(text, parse_int=_integer, object_pairs_hook=_table)


def _integer(digits):
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer has more than {MOST_DIGITS} digits")
    return int(digits)


def _table(pairs):
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key is there twice")
    return made
