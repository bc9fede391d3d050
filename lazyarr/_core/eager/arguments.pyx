"""Arguments of native forms: arrays, axes, shapes and numbers in their plainest form."""
cimport numpy as cnp

from lazyarr._core.frontend.eager cimport SMALL_ELEMENTS, first_of, new_base
from lazyarr._core.frontend.eager_assign cimport number_fits
from lazyarr._core.frontend.eager_loop cimport cast_elements
from lazyarr._core.frontend.eager_ufunc cimport fill_weak, read_operand
from lazyarr._core.frontend.index cimport lz_int
from lazyarr._core.ir.loop_table cimport WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT
from lazyarr._core.ir.node cimport Node

import numpy as np

cdef object _float64 = np.float64


cdef LazyArray small_array(PyObject** args, Py_ssize_t n):
    """Return the first argument if it is a small, non-empty ready array; else None."""
    return ready_array(args, n, SMALL_ELEMENTS)


cdef LazyArray as_doubles(LazyArray x):
    """Return x if it is contiguous float64, else a cast copy; None for types that NumPy would not cast so.

    Also None for None, and for several axes out of C order, which affect the layout of results.
    """
    cdef Node node
    if x is None:
        return None
    node = x.node
    if not node.contiguous and node.ndim > 1:
        return None
    if node.typenum == cnp.NPY_DOUBLE:
        if node.contiguous:
            return x
    elif node.typenum > cnp.NPY_ULONGLONG:
        return None
    return new_base(cast_elements(node, first_of(x), cnp.NPY_DOUBLE))


cdef object axis_argument(PyObject** args, Py_ssize_t n, object names):
    """Return the axis of f(x), f(x, axis) or f(x, axis=axis); NotImplemented for other calls."""
    if names is None:
        return None if n == 1 else <object>args[1] if n == 2 else NotImplemented
    return <object>args[1] if n == 1 and len(<tuple>names) == 1 and (<tuple>names)[0] == "axis" else NotImplemented


cdef int axis_number(object axis, int ndim) except -2:
    """Return a plain integer axis, normalised; -1 for anything else or out of range."""
    if type(axis) is not int or not -ndim <= axis < ndim:
        return -1
    return <int>(axis + ndim if axis < 0 else axis)


cdef int read_shape(object shape, npy_intp* dims, npy_intp most=0) except -2:
    """Read a shape argument for a small array; return the ndim, -1 for wrong, large or non-plain values."""
    cdef npy_intp n, size = 1
    cdef int d = 0
    most = most if most else <npy_intp>SMALL_ELEMENTS
    if type(shape) is int:
        return 1 if lz_int(shape, dims) and 0 <= dims[0] <= most else -1
    if type(shape) is not tuple or len(<tuple>shape) > 8:
        return -1
    for item in <tuple>shape:
        if type(item) is not int or not lz_int(item, &n) or not 0 <= n <= most:
            return -1
        dims[d] = n
        size *= n
        if size > most:
            return -1
        d += 1
    return d


cdef bint is_number(object obj) noexcept:
    """Return whether it is a float, or an integer exactly representable as one."""
    cdef type t = type(obj)
    return t is float or t is _float64 or t is int and -(1 << 53) < obj < 1 << 53


cdef bint read_number(PyObject* given, double* into) except -1:
    """Read a float64-representable number, keeping the default if missing; return False for anything else."""
    if given is NULL:
        return True
    if not is_number(<object>given):
        return False
    into[0] = <double><object>given
    return True


cdef bint read_integer(PyObject* given, npy_intp low, npy_intp high, npy_intp* into) except -1:
    """The same for an integer between two bounds."""
    return given is NULL or type(<object>given) is int and lz_int(<object>given, into) and low <= into[0] <= high


cdef bint read_flag(PyObject* given, bint* into) except -1:
    """The same for True and False."""
    if given is NULL:
        return True
    into[0] = <object>given is True
    return type(<object>given) is bool


cdef bint strong(Operand* op, object obj) except -1:
    """Convert a Python scalar to its default dtype."""
    cdef int code
    if WEAK_INT <= op.code <= WEAK_COMPLEX:
        code = (cnp.NPY_LONG if op.code == WEAK_INT else cnp.NPY_DOUBLE if op.code == WEAK_FLOAT else cnp.NPY_CDOUBLE)
        if not fill_weak(obj, op, code):
            return False
        op.code = code
    return True


cdef bint read_element(object obj, Operand* op, int code=-1) except -1:
    """Read a number as an element of this type, by default its own; return False if impossible."""
    read_operand(obj, op)  # numbers need no owner
    if op.code < 0 or op.node is not NULL:
        return False
    return strong(op, obj) if code < 0 else number_fits(obj, op, code)
