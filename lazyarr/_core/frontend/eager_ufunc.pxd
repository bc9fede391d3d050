from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.ir.inner_loops cimport Ufunc
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef struct Operand:
    char* data
    int code                  # type number, or code of a weak Python scalar; -1: unsupported
    PyObject* node            # shape and strides; NULL for scalars, with strides 0
    PyObject* layout          # the node before a cast
    long double value[2]      # value of scalars

cdef object read_operand(object obj, Operand* op)
cdef object call_at_once(Ufunc* u, object a, object b)
cdef object scalars_at_once(Ufunc* u, PyObject** args, Py_ssize_t n)
cdef void broadcast_strides(Operand* op, int ndim, npy_intp* into) noexcept
cdef bint fill_weak(object obj, Operand* op, int code) except -1
cdef object prepared(Operand* op, object obj, int code)
cdef bint takes_long(npy_intp size, Loop* loop) noexcept
cdef int call_loop(Loop* loop, char** data, npy_intp* n, npy_intp* steps) except -1
cdef int run_checked(Loop* loop, int ndim, npy_intp* shape, char** data, npy_intp** strides, int nargs,
                     bint any_order=*) except -1
cdef bint has_nan(int code, int ndim, npy_intp* shape, char* data) noexcept
cdef bint has_negative_stride(Node a) noexcept
