"""Reductions that run at once: what other native forms of calls share with them."""
from cpython.object cimport PyObject

from lazyarr._core.array cimport LazyArray
from lazyarr._core.loops cimport Ufunc

cdef object axis_argument(PyObject** args, Py_ssize_t n, object names)
cdef LazyArray small_array(PyObject** args, Py_ssize_t n)
cdef object folded(Ufunc* u, object x, object axis)
