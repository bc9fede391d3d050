"""Switches of optimisations that change no result, and counters of what they did, for tests and measurements."""
cimport cython


@cython.final
cdef class Switch:
    """Whether work may be done in some way, and how often that was the case."""

    def __cinit__(self):
        self.enabled = True

    def set_enabled(self, bint enabled, bint always=False):
        """Allow it, `always` also where it is not expected to save time; return the old values."""
        before = bool(self.enabled), bool(self.always)
        self.enabled, self.always = enabled, always
        return before

    def counts(self):
        """How often it was done so far, and how many parts that had, as the module of the switch defines both."""
        return self.runs, self.parts
