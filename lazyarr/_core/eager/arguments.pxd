"""Arguments of native forms."""
from cpython.object cimport PyObject

from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef bint read_number(PyObject* given, double* into) except -1
cdef bint read_flag(PyObject* given, bint* into) except -1
cdef LazyArray as_doubles(LazyArray x)
