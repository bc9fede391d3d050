"""Tunables: machine-dependent numbers, readable and writable by name.

A module keeps its own as module-level variables and declares them when it is loaded:

    cdef double TILE_TERM_NS = 0.4
    tunable("matmul.tile_term_ns", &TILE_TERM_NS, "ns", 1e-2, 1e2, "What a row of a panel costs a product of matrices.")

They affect speed, never values: a number that changes the order of a sum is a constant, except those named "path.".
lazyarr/autotune/ validates new values.
"""
from numpy cimport npy_intp

cdef dict _declared = {}    # name -> Tunable


cdef class Tunable:
    """A number with its unit, bounds, description and address."""
    cdef readonly str name, unit, doc
    cdef readonly double low, high
    cdef double* real
    cdef npy_intp* whole
    cdef dict namespace
    cdef str variable

    def get(self):
        """Return the current value."""
        if self.real is not NULL:
            return self.real[0]
        return self.namespace[self.variable] if self.whole is NULL else self.whole[0]

    def set(self, value):
        """Set the value, which the caller has validated."""
        if self.real is not NULL:
            self.real[0] = value
        elif self.whole is not NULL:
            self.whole[0] = value
        else:
            self.namespace[self.variable] = value


cdef Tunable _declare(str name, str unit, double low, double high, str doc):
    cdef Tunable made = Tunable.__new__(Tunable)
    made.name, made.unit, made.low, made.high, made.doc = name, unit, low, high, doc
    _declared[name] = made
    return made


cdef int tunable(str name, double* place, str unit, double low, double high, str doc) except -1:
    """Declare a number: name, address, unit, bounds, and what it decides."""
    _declare(name, unit, low, high, doc).real = place
    return 0


cdef int tunable_bytes(str name, npy_intp* place, double low, double high, str doc) except -1:
    """Declare a number of bytes."""
    _declare(name, "bytes", low, high, doc).whole = place
    return 0


def tunable_in(dict namespace, str variable, str name, str unit, double low, double high, str doc):
    """Declare a variable of a Python module with these `globals()`."""
    cdef Tunable made = _declare(name, unit, low, high, doc)
    made.namespace, made.variable = namespace, variable


def declared():
    """Return all numbers of the loaded modules, by name."""
    return dict(_declared)
