"""The native forms of calls, by the names of functions and methods."""
from cpython.object cimport PyObject

# What answers a call at once; NotImplemented where it does not take it. `names` are those of the last arguments, a
# tuple, or None where none is given by name.
ctypedef object (*Native)(PyObject** args, Py_ssize_t n, object names)

cdef int add_native(str name, Native native) except -1
cdef Native find_native(str name) except? NULL
