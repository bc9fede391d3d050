from cpython.object cimport PyObject

cdef enum:
    ROOM = 1000000   # most elements of a result that may be as large as the product of its operands' sizes

cdef object call_on_values(object function, PyObject** args, Py_ssize_t n, object names, double most, bint writes,
                           int counted=*, double largest=*)
cdef object ufunc_on_values(object ufunc, PyObject** args, Py_ssize_t n, object names, bint writes)
cdef object ufunc_by_protocol(object ufunc, bint elementwise, tuple inputs, dict kwargs)
cdef object value_for_numpy(object obj, list arrays, list shown, double* room, bint* foreign, double largest)
cdef bint is_for_device(PyObject** args, Py_ssize_t n, PyObject* names, bint multiplies) noexcept
cdef int forget_numbers(list arrays) except -1
cdef int let_go(list arrays, list shown) except -1
cdef object wrapped_result(object made, list arrays, list shown, bint foreign)
cdef bint draws_at_once(object obj) except -1
cdef bint is_generator(object obj) except -1
