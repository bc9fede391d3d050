"""The table of native forms: what computes calls of a function or method at once.

The `immediate_*` modules fill it when they are imported, `function` looks a name up when a `Function` is made.
"""

from cpython.object cimport PyObject

cdef dict _natives = {}


cdef int add_native(str name, Native native) except -1:
    """Register the native form of a function, by its name under `numpy`, or of a method ("ndarray.sum")."""
    _natives[name] = <size_t>native
    return 0


cdef bint bind(PyObject** args, Py_ssize_t n, object names, tuple parameters, PyObject** given) except -1:
    """Sort the arguments of a call by parameters, NULL where none is given; return False for a wrong call."""
    cdef Py_ssize_t i, k, count = len(parameters)
    if n > count:
        return False
    for i in range(count):
        given[i] = args[i] if i < n else NULL
    if names is not None:
        for i in range(len(<tuple>names)):
            for k in range(count):
                if (<tuple>names)[i] == parameters[k]:
                    break
            else:
                return False
            if given[k] is not NULL:
                return False
            given[k] = args[n + i]
    return True


cdef Native find_native(str name) except? NULL:
    """Return the native form of this function; NULL if there is none."""
    address = _natives.get(name)
    return NULL if address is None else <Native><size_t>address


def names():
    """List the functions and methods that have a native form."""
    return sorted(_natives)
