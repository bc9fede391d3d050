"""Means, variances and standard deviations at once."""
from cpython.object cimport PyObject

cdef object statistic(int which, PyObject** args, Py_ssize_t n, object names)
