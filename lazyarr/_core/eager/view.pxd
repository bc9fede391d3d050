"""Functions and methods that give views: what other native forms share with them."""
from cpython.object cimport PyObject

from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef LazyArray viewed(PyObject** args, Py_ssize_t n, object names, Py_ssize_t least, Py_ssize_t most)
cdef int axis_number(object axis, int ndim) except -2
