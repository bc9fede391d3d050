"""Small factorizations that run at once."""
from cpython.object cimport PyObject

from lazyarr._core.ir.node cimport Node

cdef Node singular_values(PyObject* a)
cdef tuple factors(PyObject* a, bint full)
