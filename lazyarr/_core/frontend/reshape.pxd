from cpython.bool cimport PyBool_Check
from cpython.number cimport PyNumber_Index
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.index cimport lz_int
from lazyarr._core.ir.node cimport MAX_DIMS, Node

cdef bint is_fortran(Node node) noexcept
cdef bint matched(int ndim, npy_intp* shape, npy_intp* strides, int nd, npy_intp* dims, npy_intp* found,
                  npy_intp itemsize) noexcept


cdef inline bint read_index(object item, npy_intp* value) except -1:
    """Read an object with `__index__` but no bool; return False for others, and for too large integers."""
    if type(item) is int:
        return lz_int(item, value)
    if PyBool_Check(item):
        return False
    try:
        value[0] = PyNumber_Index(item)
    except (TypeError, OverflowError):
        return False
    return True


cdef inline int read_extents(PyObject** items, Py_ssize_t n, npy_intp size, npy_intp* dims) except -2:
    """Read a new shape for `size` elements, with -1 filled in; return the ndim, -1 if it does not fit."""
    cdef npy_intp known = 1
    cdef int d, unknown = -1
    if n > MAX_DIMS:
        return -1
    for d in range(n):
        if not read_index(<object>items[d], &dims[d]):
            return -1
        if dims[d] == -1 and unknown < 0:
            unknown = d
        elif dims[d] < 0 or (dims[d] | known) >> 31 and <double>known * dims[d] > <double>(<npy_intp>1 << 62):
            return -1
        else:
            known *= dims[d]
    if unknown >= 0:
        if known == 0 or size % known:
            return -1
        dims[unknown] = size // known
    elif known != size:
        return -1
    return <int>n
