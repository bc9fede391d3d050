"""The native forms of calls, by the names of functions and methods."""
from cpython.object cimport PyObject

# Computes a call at once, or returns NotImplemented for a call that it does not take. It is called only where
# operations may run at once (`is_enabled`). `args` holds the n positional arguments and behind them the keyword
# arguments, whose names are the tuple `names`, or None without any.
ctypedef object (*Native)(PyObject** args, Py_ssize_t n, object names)

cdef int add_native(str name, Native native) except -1
cdef Native find_native(str name) except? NULL
cdef bint bind(PyObject** args, Py_ssize_t n, object names, tuple parameters, PyObject** found) except -1
