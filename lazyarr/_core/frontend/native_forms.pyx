"""The table of native forms: what computes calls of a function or method at once.

The modules of `_core/eager` fill it when they are imported, `function` looks a name up when a `Function` is made.
Modules for a submodule of NumPy are imported with the first name that is looked up in it.
"""
import importlib

cdef dict _natives = {}
cdef dict _of_submodules = {"fft": ["fft"], "linalg": ["solve", "factorization", "linalg"], "random": ["random"]}


cdef int add_native(str names, Native native, int variant=0) except -1:
    """Register a native form by names under `numpy`, and of methods ("sum ndarray.sum")."""
    for name in names.split():
        _natives[name] = <size_t>native, variant
    return 0


cdef Native find_native(str name, int* variant) except? NULL:
    """Find the native form of this function and its variant; NULL if there is none."""
    _import_forms(name.partition(".")[0])
    address, variant[0] = _natives.get(name, (0, 0))
    return <Native><size_t>address


cdef bint bind(PyObject** args, Py_ssize_t n, object names, tuple parameters, int required,
               PyObject** found) except -1:
    """Find the arguments of a call by the parameters' names; NULL for those left out. False if the call is wrong.

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
    """List the functions and methods that have a native form."""
    for submodule in list(_of_submodules):
        _import_forms(submodule)
    return sorted(_natives)
