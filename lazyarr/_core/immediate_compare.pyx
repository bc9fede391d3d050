"""Comparisons of whole arrays that run at once: whether they are equal, or close to each other."""
from cpython.object cimport PyObject
from libc.float cimport DBL_MAX
from libc.math cimport fabs, isfinite

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.immediate cimport LARGE, first_of, must_report, new_base, new_leaf
from lazyarr._core.immediate_arguments cimport as_doubles, bind, read_flag, read_number
from lazyarr._core.immediate_fold cimport array_up_to
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport Node, same_shape

cdef enum:
    INVALID = 8             # the flag of comparisons with NaN, which NumPy clears
    BLOCK = 1024            # elements that are compared without a look at the outcome

ctypedef fused Number:
    unsigned char
    int
    long
    float
    double


# ---- equal ---------------------------------------------------------------------------------------------


cdef bint differ(Number* a, Number* b, npy_intp n) noexcept:
    cdef npy_intp i, start, stop
    cdef int found
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        found = 0
        for i in range(start, stop):
            found |= a[i] != b[i]
        if found:
            return True
    return False


cdef object _array_equal(PyObject** args, Py_ssize_t n, object names):
    """array_equal(x, y) of one dtype in C order."""
    cdef LazyArray x = array_up_to(LARGE, args, n), y
    cdef npy_intp size
    cdef char* a
    cdef char* b
    cdef int code
    cdef bint found
    if x is None or n != 2 or names is not None:
        return NotImplemented
    y = array_up_to(LARGE, args + 1, 1)
    if y is None:
        return NotImplemented
    if not same_shape(x.node, y.node):
        return False
    code, size = x.node.typenum, x.node.size
    if y.node.typenum != code or not x.node.contiguous or not y.node.contiguous:
        return NotImplemented
    a, b = first_of(x), first_of(y)
    lz_fp_clear()
    if code == cnp.NPY_DOUBLE:
        found = differ(<double*>a, <double*>b, size)
    elif code == cnp.NPY_FLOAT:
        found = differ(<float*>a, <float*>b, size)
    elif code == cnp.NPY_LONG:
        found = differ(<long*>a, <long*>b, size)
    elif code == cnp.NPY_INT:
        found = differ(<int*>a, <int*>b, size)
    elif code == cnp.NPY_UBYTE or code == cnp.NPY_BOOL:
        found = differ(<unsigned char*>a, <unsigned char*>b, size)
    else:
        return NotImplemented
    lz_fp_clear()
    return not found


# ---- close ---------------------------------------------------------------------------------------------

cdef struct Tolerance:
    double relative
    double absolute
    bint equal_nan

cdef tuple _PARAMETERS = ("a", "b", "rtol", "atol", "equal_nan")


cdef inline bint are_close(double a, double b, Tolerance* most) noexcept:
    cdef bint found = (fabs(a - b) <= most.absolute + most.relative * fabs(b)) & (fabs(b) <= DBL_MAX) | (a == b)
    return found


cdef bint compare_closely(double* a, double* b, npy_intp step, npy_intp n, Tolerance* most, char* into) noexcept:
    """Write whether elements are close, and return whether all are; `step` is 0 for a number b, else 1."""
    cdef npy_intp i
    cdef int count = 0
    for i in range(n):
        into[i] = are_close(a[i], b[i * step], most)
    if most.equal_nan:
        for i in range(n):
            into[i] |= (a[i] != a[i]) & (b[i * step] != b[i * step])
    for i in range(n):
        count += into[i]
    return count == n


cdef Node closeness(PyObject** args, Py_ssize_t n, object names, bint* whole):
    """Compare an array with another of its shape or a number, element by element; None for other calls.

    `whole` tells whether all are close.
    """
    cdef PyObject* bound[5]
    cdef Tolerance most
    cdef LazyArray x, y
    cdef Node made
    cdef double value
    cdef double* other = &value
    cdef npy_intp step = 0
    most = Tolerance(1e-5, 1e-8, False)
    if not bind(args, n, names, _PARAMETERS, bound) or bound[1] is NULL:
        return None
    if not read_number(bound[2], &most.relative) or not read_number(bound[3], &most.absolute) \
            or not read_flag(bound[4], &most.equal_nan) or not isfinite(most.relative) or not isfinite(most.absolute):
        return None
    x = array_up_to(LARGE, bound, 1)
    x = None if x is None else as_doubles(x)
    if x is None:
        return None
    if type(<object>bound[1]) is LazyArray:
        y = array_up_to(LARGE, bound + 1, 1)
        y = None if y is None else as_doubles(y)
        if y is None or not same_shape(x.node, y.node):
            return None
        other, step = <double*>first_of(y), 1
    elif not read_number(bound[1], &value):
        return None
    made = new_leaf(x.node.ndim, x.node.shape, cnp.NPY_BOOL)
    lz_fp_clear()
    whole[0] = compare_closely(<double*>first_of(x), other, step, made.size, &most, made.data)
    return None if must_report(lz_fp_take() & ~INVALID) else made


cdef object _isclose(PyObject** args, Py_ssize_t n, object names):
    cdef bint whole
    made = closeness(args, n, names, &whole)
    return NotImplemented if made is None else new_base(<Node>made)


cdef object _allclose(PyObject** args, Py_ssize_t n, object names):
    cdef bint whole
    made = closeness(args, n, names, &whole)
    return NotImplemented if made is None else whole


cdef int _state() except -1:
    add_native("array_equal", _array_equal)
    add_native("isclose", _isclose)
    add_native("allclose", _allclose)
    return 0


_state()
