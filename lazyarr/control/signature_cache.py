"""A cache by argument signature, with the least recently used entry dropped first."""

KEPT = 64
"""Entries per cache."""


class SignatureCache(dict):
    """Values by signature, from the least to the most recently used."""

    def take(self, signature):
        """Remove and return the value for a signature, or None. `put` returns it as the most recently used."""
        return self.pop(signature, None)

    def put(self, signature, value):
        """Store a value as the most recently used."""
        self[signature] = value
        if len(self) > KEPT:
            for oldest in list(self.copy())[:-KEPT]:  # `copy` is atomic, also on a free-threaded interpreter
                self.pop(oldest, None)  # another thread may have taken it meanwhile
