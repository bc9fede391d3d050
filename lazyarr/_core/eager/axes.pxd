"""Views of parts of arrays: what other native forms share with them."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node

cdef npy_intp diagonal_of(Node node, object offset, npy_intp* start) except -1
cdef object diagonal_view(PyObject** args, object offset)
