"""The table of native forms: what computes calls of a function or method at once.

The `immediate_*` modules fill it when they are imported, `function` looks a name up when a `Function` is made.
"""
from cpython.object cimport PyObject

cdef dict _natives = {}


cdef int add_native(str name, Native native) except -1:
    """Register the native form of a function, by its name under `numpy`, or of a method ("ndarray.sum")."""
    _natives[name] = <size_t>native
    return 0


cdef Native find_native(str name) except? NULL:
    """Return the native form of this function; NULL if there is none."""
    address = _natives.get(name)
    return NULL if address is None else <Native><size_t>address


cdef bint read_arguments(PyObject** args, Py_ssize_t n, object names, tuple parameters, PyObject** into) except -1:
    """Sort the arguments of a call by its parameters; NULL stands for those that are not given.

    Return False for a call that does not fit them, of which NumPy says what is wrong.
    """
    cdef Py_ssize_t i, place
    if n > len(parameters):
        return False
    for i in range(len(parameters)):
        into[i] = args[i] if i < n else NULL
    if names is not None:
        for i, name in enumerate(<tuple>names):
            if name not in parameters:
                return False
            place = parameters.index(name)
            if into[place] is not NULL:
                return False
            into[place] = args[n + i]
    return True


def names():
    """List the functions and methods that have a native form."""
    return sorted(_natives)
