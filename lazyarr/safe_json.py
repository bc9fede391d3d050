"""Decoding of untrusted JSON."""
import json
import re

import numpy as np

MOST_DEPTH = 200
"""The maximum nesting depth, as trees are traversed recursively."""
MOST_DIGITS = 1000
"""The maximum number of digits of an integer: parsing takes quadratic time."""
_STRING = re.compile(r'"(?:[^"\\]|\\.?)*+"?', re.DOTALL)


def loads(text):
    """Decode untrusted JSON.

    Raises
    ------
    ValueError
        If the text is not valid JSON, is nested too deeply, or has an integer that is too long or a duplicate key.

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
