from cpython.object cimport PyObject

# Computes a call at once, or returns NotImplemented for a call that it does not take. It is called only where
# operations may run at once (`is_enabled`). `args` holds the n positional arguments and behind them the keyword
# arguments, whose names are the tuple `names`, or None without any. `variant` is the number it was registered with:
# functions that differ in little share a form.
ctypedef object (*Native)(PyObject** args, Py_ssize_t n, object names, int variant)

cdef int add_native(str names, Native native, int variant=*) except -1
cdef Native find_native(str name, int* variant) except? NULL
cdef bint bind(PyObject** args, Py_ssize_t n, object names, tuple parameters, int required,
               PyObject** found) except -1
