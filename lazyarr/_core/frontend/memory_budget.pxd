from cpython.object cimport PyObject

cdef int measure_retained(PyObject* newest, double budget) except -1
cdef bint retains_more(double factor) noexcept
cdef void forget_retained() noexcept
