"""Shapes as Python tuples."""
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_New

from lazyarr._core.ir.node cimport Node

cdef extern from "Python.h":
    PyObject* PyLong_FromSsize_t(Py_ssize_t value) noexcept
    void PyTuple_SET_ITEM(object t, Py_ssize_t i, PyObject* item) noexcept


cdef object shape_tuple(Node node):
    cdef tuple made = PyTuple_New(node.ndim)
    cdef PyObject* extent
    cdef int d
    for d in range(node.ndim):
        extent = PyLong_FromSsize_t(node.shape[d])
        if extent is NULL:
            raise MemoryError()
        PyTuple_SET_ITEM(made, d, extent)  # steals the reference
    return made
