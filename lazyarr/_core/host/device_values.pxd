"""Values in device memory, and their copies on the host."""
from cpython.object cimport PyObject

cdef class Mirror:
    cdef object memory          # a Buffer or an ndarray
    cdef char* data             # first byte of the storage there
    cdef PyObject* copy         # the node with the same value on a device, or NULL
    cdef object kept            # the same node if the mirror owns it, else None
    cdef PyObject* next         # the next mirror of the same node, or NULL

cdef Mirror new_mirror(object memory, char* data)
cdef int set_copy(Mirror mirror, object value, bint is_kept) except -1
cdef list noted_values()
cdef Mirror mirror_of(object value)
cdef void note_value(int device, PyObject* value, Py_ssize_t nbytes) noexcept
cdef void rename_value(PyObject* value, PyObject* successor) noexcept
cdef void forget_value(int device, PyObject* value, Py_ssize_t nbytes) noexcept
