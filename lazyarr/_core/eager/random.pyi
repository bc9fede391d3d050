"""Random numbers at once, drawn by the functions of NumPy's own library of distributions."""

MOST_AT_ONCE: int

class Source: ...
