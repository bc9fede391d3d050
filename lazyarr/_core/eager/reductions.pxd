from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef enum Fold:
    SUM, PROD, MAX, MIN, FMAX, FMIN, MEAN, VAR, STD

cdef enum:
    FOLDED = 1 << 16        # largest size for which a graph, which fuses nothing here, is no faster
    SEARCHED = 1 << 21      # largest eager search; a graph would be no faster
    LINEAR = 8192           # largest operand of a sum that NumPy casts in one piece

cdef Loop* fold_loop(int which, int code) except? NULL
cdef void fold_line(Loop* loop, int which, char* into, char* data, npy_intp n, npy_intp stride) noexcept
cdef double sum_of_doubles(double* data, npy_intp n) noexcept
cdef object fold(PyObject** args, Py_ssize_t n, object names, int which)
cdef object fold_axis(PyObject** args, Py_ssize_t n, object names, bint* keeps)
cdef Node leaf_of_fold(Node node, int axis, bint keeps, int code)
cdef void fold_rows(Loop* loop, int which, char* into, char* data, npy_intp rows, npy_intp columns,
                    npy_intp step) noexcept
cdef object folded(Ufunc* u, object x, object axis)
