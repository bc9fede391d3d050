from cpython.object cimport PyObject

cdef object statistic(PyObject** args, Py_ssize_t n, object names, int which)
