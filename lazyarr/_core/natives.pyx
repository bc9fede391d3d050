"""The table of native forms: what computes calls of a function or method at once.

The `immediate_*` modules fill it when they are imported, `function` looks a name up when a `Function` is made.
"""

cdef dict _natives = {}


cdef int add_native(str name, Native native) except -1:
    """Register the native form of a function, by its name under `numpy`, or of a method ("ndarray.sum")."""
    _natives[name] = <size_t>native
    return 0


cdef Native find_native(str name) except? NULL:
    """Return the native form of this function; NULL if there is none."""
    address = _natives.get(name)
    return NULL if address is None else <Native><size_t>address


def names():
    """List the functions and methods that have a native form."""
    return sorted(_natives)
