"""Traced functions that count their Python calls."""

import lazyarr as la


class Counted:
    """A function that counts its calls."""

    def __init__(self, f):
        self.f, self.calls, self.__name__ = f, 0, "counted"

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.f(*args, **kwargs)


def jitted(f):
    counted = Counted(f)
    return counted, la.jit(counted)
