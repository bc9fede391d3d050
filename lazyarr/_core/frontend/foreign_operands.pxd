from cpython.object cimport PyObject

from lazyarr._core.ir.inner_loops cimport Ufunc

cdef bint is_derived(object obj)
cpdef bint is_answering(object obj)
cdef object deferred(Ufunc* u, object a, object b)
cdef object decided(object function, str reflected, object a, object b)
cdef list overriding(PyObject** args, Py_ssize_t total)
cdef bint answers_ufuncs(PyObject** args, Py_ssize_t total)
