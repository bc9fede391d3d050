"""Machine-dependent numbers, readable and writable by name.

A module keeps its own as module-level variables and registers them when it is loaded:

    cdef double TILE_TERM_NS = 0.4
    tunable("matmul.tile_term_ns", &TILE_TERM_NS)

They decide how fast a result is there, never its value: a number that changes the order of a sum is a constant,
except those named "path.". lazyarr/autotune/ checks what is written to them.
"""
from numpy cimport npy_intp

cdef dict _doubles = {}     # name -> address
cdef dict _bytes = {}


cdef int tunable(str name, double* place) except -1:
    """State a number."""
    _doubles[name] = <size_t>place
    return 0


cdef int tunable_bytes(str name, npy_intp* place) except -1:
    """State a number of bytes."""
    _bytes[name] = <size_t>place
    return 0


def names():
    """All that have been stated."""
    return [*_doubles, *_bytes]


def get(str name):
    """The number in force; KeyError for a name that has not been stated."""
    if name in _doubles:
        return (<double*><size_t>_doubles[name])[0]
    return (<npy_intp*><size_t>_bytes[name])[0]


def set(str name, value):
    """Set a number to `value`, which the caller has checked; KeyError as above."""
    if name in _doubles:
        (<double*><size_t>_doubles[name])[0] = value
    else:
        (<npy_intp*><size_t>_bytes[name])[0] = value
