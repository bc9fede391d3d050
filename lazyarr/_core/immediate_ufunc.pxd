"""Ufuncs that run at once."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.loops cimport MAX_ARGS, Loop, Ufunc
from lazyarr._core.node cimport MAX_DIMS, Node

cdef struct Operand:
    char* data
    int code                  # type number, or that of a weak Python scalar; -1 for what the path does not take
    PyObject* node            # shape and strides; NULL for scalars, whose strides are 0
    PyObject* layout          # the same before a cast
    long double value[2]      # of scalars

cdef object read_operand(object obj, Operand* op)
cdef object unary_at_once(Ufunc* u, object a)
cdef object binary_at_once(Ufunc* u, object a, object b)
cdef object into_at_once(Ufunc* u, LazyArray out, object a, object b)
cdef object scalars_at_once(Ufunc* u, PyObject** args, Py_ssize_t n)
cdef bint fits_into(Node a, Node into) noexcept
cdef bint hides(Node window) noexcept
cdef Node apart(Operand* op, object obj, LazyArray base, Node window)
cdef int broadcast_strides(Operand* op, int ndim, npy_intp* into) except -1
cdef bint fill_weak(object obj, Operand* op, int code) except -1
