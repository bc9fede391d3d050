"""Making arrays at once: what other native forms share."""
from cpython.object cimport PyObject

from lazyarr._core.immediate_ufunc cimport Operand

cdef bint strong(Operand* op, object obj) except -1
cdef object copied(PyObject** args, Py_ssize_t n, object names)
cdef bint is_number(object obj) noexcept
