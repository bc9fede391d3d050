"""Eager random numbers from NumPy's library of distributions."""

MOST_AT_ONCE: int

class Source: ...
