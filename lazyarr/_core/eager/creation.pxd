"""Making arrays at once: what other native forms share."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.eager_ufunc cimport Operand

cdef int read_shape(object shape, npy_intp* dims, npy_intp most=*) except -2
cdef bint strong(Operand* op, object obj) except -1
cdef bint read_element(object obj, Operand* op, int code=*) except -1
cdef object copied(PyObject** args, Py_ssize_t n, object names, int keeps)
cdef bint is_number(object obj) noexcept
