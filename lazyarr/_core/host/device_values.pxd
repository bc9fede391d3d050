"""Values that lie in the memory of devices, and those of them that the host has as well."""
from cpython.object cimport PyObject

cdef class Mirror:
    cdef object memory          # a Buffer or an ndarray
    cdef char* data             # of the storage's first byte there
    cdef PyObject* copy         # the node with the same value on a device, NULL once there is none
    cdef object kept            # the same, unless it is for others to keep: then it goes when they go
    cdef PyObject* next         # another mirror of the same copy, or NULL

cdef Mirror new_mirror(object memory, char* data)
cdef int set_copy(Mirror mirror, object value, bint is_kept) except -1
cdef list noted_values()
cdef Mirror mirror_of(object value)
cdef void note_value(int device, PyObject* value, Py_ssize_t nbytes) noexcept
cdef void rename_value(PyObject* value, PyObject* successor) noexcept
cdef void forget_value(int device, PyObject* value, Py_ssize_t nbytes) noexcept
