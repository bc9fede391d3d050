from cpython.object cimport PyObject

# Computes a call eagerly, or returns NotImplemented if it does not support it. Called only where operations may run
# eagerly (`is_enabled`). `args` has the n positional arguments, then the keyword arguments, whose names are the tuple
# `names`, or None. `variant` is the number it was registered with, so that similar functions can share a form.
ctypedef object (*Native)(PyObject** args, Py_ssize_t n, object names, int variant)

cdef int add_native(str names, Native native, int variant=*) except -1
cdef Native find_native(str name, int* variant) except? NULL
cdef bint bind(PyObject** args, Py_ssize_t n, object names, tuple parameters, int required,
               PyObject** found) except -1
