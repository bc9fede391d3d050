"""The table of native forms: functions that compute calls eagerly.

The modules of `_core/eager` fill it when imported; a `Function` looks up its name when created. Modules for a submodule
of NumPy are imported when the first of its names is looked up.
"""
import importlib

cdef dict _natives = {}
cdef dict _of_submodules = {"fft": ["fft"], "linalg": ["solve", "factorization", "linalg"], "random": ["random"]}


cdef int add_native(str names, Native native, int variant=0) except -1:
    """Register a native form for names under `numpy`, including methods ("sum ndarray.sum")."""
    for name in names.split():
        _natives[name] = <size_t>native, variant
    return 0


cdef Native find_native(str name, int* variant) except? NULL:
    """Return the native form of a function and set its variant; NULL if there is none."""
    _import_forms(name.partition(".")[0])
    address, variant[0] = _natives.get(name, (0, 0))
    return <Native><size_t>address


cdef bint bind(PyObject** args, Py_ssize_t n, object names, tuple parameters, int required,
               PyObject** found) except -1:
    """Match arguments to parameter names; NULL for missing ones. Return False if the call is wrong.

    The first `required` parameters have no default.
    """
    cdef Py_ssize_t k, i, count = len(parameters)
    if n > count:
        return False
    for k in range(count):
        found[k] = args[k] if k < n else NULL
    if names is not None:
        for i, name in enumerate(<tuple>names):
            for k in range(n, count):
                if name == parameters[k]:
                    found[k] = args[n + i]
                    break
            else:
                return False
    for k in range(n, required):
        if found[k] is NULL:
            return False
    return True


cdef int _import_forms(str submodule) except -1:
    for name in _of_submodules.pop(submodule, ()):
        importlib.import_module(f"lazyarr._core.eager.{name}")
    return 0


def names():
    """Return the functions and methods that have a native form."""
    for submodule in list(_of_submodules):
        _import_forms(submodule)
    return sorted(_natives)
