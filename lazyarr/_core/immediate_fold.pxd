"""Reductions that run at once: what other native forms of calls share with them."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.loops cimport Loop

cdef enum Fold:
    SUM
    PROD
    MAX
    MIN
    MEAN
    VAR
    STD

cdef object axis_argument(PyObject** args, Py_ssize_t n, object names)
cdef LazyArray small_array(PyObject** args, Py_ssize_t n)
cdef LazyArray ready_array(PyObject** args, Py_ssize_t n, npy_intp most)
cdef Loop* fold_loop(int which, int code) except? NULL
cdef void fold_line(Loop* loop, int which, char* into, char* data, npy_intp n, npy_intp stride) noexcept
