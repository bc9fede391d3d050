"""Switches of optimisations that do not change results, with counters, for tests and measurements."""
cimport cython


@cython.final
cdef class Switch:
    """Whether an optimisation is enabled, and how often it was applied."""

    def __cinit__(self):
        self.enabled = True

    def set_enabled(self, bint enabled, bint always=False):
        """Enable it, with `always` even where it is not expected to save time; return the old values."""
        before = bool(self.enabled), bool(self.always)
        self.enabled, self.always = enabled, always
        return before

    def counts(self):
        """Return how often it was applied, and the number of parts, as its module defines both."""
        return self.runs, self.parts
