from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.ir.node cimport Node

cdef enum:
    FAR = 1 << 30   # offset beyond every diagonal

cdef npy_intp diagonal_of(Node node, npy_intp place, npy_intp* start) noexcept
cdef object diagonal_view(PyObject** args, npy_intp place)
