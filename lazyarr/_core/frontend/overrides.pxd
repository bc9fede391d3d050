"""Operands that may decide what a function or a ufunc gives."""
from cpython.object cimport PyObject

cdef list overriding(PyObject** args, Py_ssize_t total)
cdef bint answers_ufuncs(PyObject** args, Py_ssize_t total)
