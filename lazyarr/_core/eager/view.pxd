from cpython.object cimport PyObject
from libc.stdint cimport uint64_t

from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef LazyArray turned(LazyArray x, int first, int second, uint64_t backwards)
cdef LazyArray viewed(PyObject** args, Py_ssize_t n, object names, Py_ssize_t least, Py_ssize_t most)
