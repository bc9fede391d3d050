"""Eager comparisons of whole arrays: array_equal, isclose, allclose."""
from libc.float cimport DBL_MAX
from libc.math cimport fabs, isfinite
from libc.string cimport memchr

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, LazyArray, Loop, Node, PyObject, Ufunc, add_native, as_doubles, bind, find_ufunc, first_of, lz_fp_clear,
    lz_fp_take, must_report, new_base, new_leaf, new_view, npy_intp, read_flag, read_number, ready_array, resolve)
from lazyarr._core.ir.node cimport same_shape

import numpy as np

cdef enum:
    INVALID = 8             # status flag of comparisons with NaN, which NumPy clears
    BLOCK = 4096            # elements compared between two checks

cdef Ufunc* _equal = find_ufunc(np.equal)


cdef object _array_equal(PyObject** args, Py_ssize_t n, object names, int variant):
    """array_equal(x, y) of one dtype in C order, block by block with NumPy's loop."""
    cdef LazyArray x = ready_array(args, n, LARGE), y
    cdef char found[BLOCK]
    cdef char* data[3]
    cdef npy_intp steps[3]
    cdef npy_intp start, count
    cdef int codes[2]
    cdef Loop* loop
    if x is None or n != 2 or names is not None:
        return NotImplemented
    y = ready_array(args + 1, 1, LARGE)
    if y is None:
        return NotImplemented
    if not same_shape(x.node, y.node):
        return False
    codes[0], codes[1] = x.node.typenum, y.node.typenum
    if codes[0] != codes[1] or not x.node.contiguous or not y.node.contiguous:
        return NotImplemented
    loop = resolve(_equal, codes).loop
    if loop is NULL or loop.types[0] != codes[0] or loop.types[1] != codes[1]:
        return NotImplemented
    steps[0] = steps[1] = x.node.itemsize
    steps[2] = 1
    for start in range(0, x.node.size, BLOCK):
        count = min(<npy_intp>BLOCK, x.node.size - start)
        data[0], data[1] = first_of(x) + start * steps[0], first_of(y) + start * steps[0]
        data[2] = found
        loop.fn(data, &count, steps, loop.data)
        if memchr(found, 0, count) is not NULL:
            return False
    return True


cdef struct Tolerance:
    double relative
    double absolute
    bint equal_nan


cdef inline bint is_close(double a, double b, Tolerance* most) noexcept:
    cdef bint found = (fabs(a - b) <= most.absolute + most.relative * fabs(b)) & (fabs(b) <= DBL_MAX) | (a == b)
    return found


cdef bint compare_closely(double* a, double* b, npy_intp step, npy_intp n, Tolerance* most, char* into) noexcept:
    """Write whether elements are close, and return whether all are; `step` is 0 for a number b, else 1."""
    cdef npy_intp i
    cdef int count = 0
    for i in range(n):
        into[i] = is_close(a[i], b[i * step], most)
    if most.equal_nan:
        for i in range(n):
            into[i] |= (a[i] != a[i]) & (b[i * step] != b[i * step])
    for i in range(n):
        count += into[i]
    return count == n


cdef object _closeness(PyObject** args, Py_ssize_t n, object names, int whole):
    """isclose(a, b, rtol, atol, equal_nan) of an array and another of its shape, or a number; `whole`: allclose."""
    cdef PyObject* bound[5]
    cdef Tolerance most
    cdef LazyArray x, y
    cdef Node made
    cdef double value
    cdef double* other = &value
    cdef bint are_close
    cdef npy_intp step = 0
    most = Tolerance(1e-5, 1e-8, False)
    if not bind(args, n, names, ("a", "b", "rtol", "atol", "equal_nan"), 2, bound) \
            or not read_number(bound[2], &most.relative) or not read_number(bound[3], &most.absolute) \
            or not read_flag(bound[4], &most.equal_nan) or not isfinite(most.relative) or not isfinite(most.absolute):
        return NotImplemented
    x = as_doubles(ready_array(bound, 1, LARGE))
    if x is None:
        return NotImplemented
    if type(<object>bound[1]) is LazyArray:
        y = as_doubles(ready_array(bound + 1, 1, LARGE))
        if y is None or not same_shape(x.node, y.node):
            return NotImplemented
        other, step = <double*>first_of(y), 1
    elif not read_number(bound[1], &value):
        return NotImplemented
    made = new_leaf(x.node.ndim, x.node.shape, cnp.NPY_BOOL)
    lz_fp_clear()
    are_close = compare_closely(<double*>first_of(x), other, step, made.size, &most, made.data)
    if must_report(lz_fp_take() & ~INVALID):
        return NotImplemented
    return are_close if whole else new_view(new_base(made), made, True)  # as in NumPy


add_native("array_equal", _array_equal)
add_native("isclose", _closeness, False)
add_native("allclose", _closeness, True)
