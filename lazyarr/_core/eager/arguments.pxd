from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.eager cimport is_ready
from lazyarr._core.frontend.eager_ufunc cimport Operand
from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef LazyArray small_array(PyObject** args, Py_ssize_t n)
cdef LazyArray as_doubles(LazyArray x)
cdef object axis_argument(PyObject** args, Py_ssize_t n, object names)
cdef int axis_number(object axis, int ndim) except -2
cdef int read_shape(object shape, npy_intp* dims, npy_intp most=*) except -2
cdef bint is_number(object obj) noexcept
cdef bint read_number(PyObject* given, double* into) except -1
cdef bint read_integer(PyObject* given, npy_intp low, npy_intp high, npy_intp* into) except -1
cdef bint read_flag(PyObject* given, bint* into) except -1
cdef bint strong(Operand* op, object obj) except -1
cdef bint read_element(object obj, Operand* op, int code=*) except -1


cdef inline LazyArray ready_array(PyObject** args, Py_ssize_t n, double most):
    """Return the first argument if it is a ready array with 1 to `most` elements; else None."""
    cdef LazyArray x
    if n < 1 or type(<object>args[0]) is not LazyArray:
        return None
    x = <LazyArray>args[0]
    if not is_ready(x) or x.scalar or x.node.ndim == 0 or not 0 < x.node.size <= most:
        return None
    return x
