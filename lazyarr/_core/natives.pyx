"""The native forms of calls, by the names of functions and methods."""

cdef dict _natives = {}


cdef int add_native(str name, Native native) except -1:
    """State what answers calls of a function, by its name under `numpy`, or of a method ("ndarray.sum")."""
    _natives[name] = <size_t>native
    return 0


cdef Native find_native(str name) except? NULL:
    """The native form of calls of this function; NULL if there is none."""
    address = _natives.get(name)
    return NULL if address is None else <Native><size_t>address


def names():
    """All that have one."""
    return sorted(_natives)
