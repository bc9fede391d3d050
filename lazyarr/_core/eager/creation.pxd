from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef LazyArray array_of_one(int ndim, npy_intp* shape, object number, int code=*)
cdef object copied(PyObject** args, Py_ssize_t n, object names, int keeps)
