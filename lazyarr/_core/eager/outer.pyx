"""Eager outer, Kronecker and cross products."""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, MAX_DIMS, LazyArray, Loop, Node, PyObject, add_native, exact_loop, find_ufunc, first_of, is_enabled,
    is_ready, lz_fp_clear, lz_fp_take, must_report, new_base, new_leaf, new_view, npy_intp, number, window_view)
from lazyarr._core.frontend.eager_product cimport MOST_PRODUCTS, Factor, read_factor, ready_factor
from lazyarr._core.frontend.eager_ufunc cimport call_at_once

import numpy as np


cdef enum:
    LONG_ROW = 32  # row length for which a loop call per row is cheaper than NumPy's buffering

cdef Ufunc* _multiply = find_ufunc(np.multiply)


cdef object outer_product(Ufunc* u, object a, object b):
    """Return the outer ufunc of a and b; NotImplemented if it does not run eagerly."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef LazyArray x, y
    cdef Node node
    cdef int d, ndim
    if type(a) is not LazyArray or type(b) is not LazyArray or not is_enabled():
        return NotImplemented
    x, y = <LazyArray>a, <LazyArray>b
    node, ndim = x.node, x.node.ndim + y.node.ndim
    if not is_ready(x) or not is_ready(y) or node.ndim == 0 or y.node.ndim == 0 or ndim > MAX_DIMS \
            or ndim > 2 and not (node.contiguous and y.node.contiguous):
        return NotImplemented
    for d in range(ndim):
        shape[d] = node.shape[d] if d < node.ndim else 1
        strides[d] = node.strides[d] if d < node.ndim else 0
    made = call_at_once(u, window_view(x, ndim, shape, strides, node.offset, False), y)
    return NotImplemented if made is None else made


cdef object product_by_rows(LazyArray x, LazyArray y):
    """Multiply a column by a row of one dtype, one loop call per row; return NotImplemented if a flag is set.

    NumPy's iterator would copy the column into its buffer, each number once per row element. That is faster only if the
    loop has no fast path for a scalar operand: bools and extended precision.
    """
    cdef int types[3]
    cdef npy_intp shape[2]
    cdef npy_intp steps[3]
    cdef char* args[3]
    cdef Loop* loop
    cdef Node made
    cdef npy_intp i
    for i in range(3):
        types[i] = x.node.typenum
    loop = exact_loop(_multiply, types)
    shape[0], shape[1] = x.node.size, y.node.size
    if loop is NULL or types[0] in (cnp.NPY_BOOL, cnp.NPY_LONGDOUBLE, cnp.NPY_CLONGDOUBLE) \
            or shape[0] * shape[1] > LARGE:
        return NotImplemented
    made = new_leaf(2, shape, x.node.typenum)
    steps[0], steps[1], steps[2] = 0, y.node.strides[0], made.itemsize
    lz_fp_clear()
    for i in range(shape[0]):
        args[0], args[1], args[2] = first_of(x) + i * x.node.strides[0], first_of(y), made.data + i * made.strides[0]
        loop.fn(args, &shape[1], steps, loop.data)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef object _outer(PyObject** args, Py_ssize_t n, object names, int variant):
    """outer(x, y) of vectors: a column times a row."""
    cdef LazyArray x = ready_factor(args[0]) if n == 2 and names is None else None
    cdef LazyArray y = None if x is None else ready_factor(args[1])
    if y is None or x.node.ndim != 1 or y.node.ndim != 1:
        return NotImplemented
    made = outer_product(_multiply, x, y)
    if made is NotImplemented and x.node.typenum == y.node.typenum and y.node.size >= LONG_ROW:
        made = product_by_rows(x, y)
    return made


cdef object _kron(PyObject** args, Py_ssize_t n, object names, int variant):
    """kron(x, y) of two vectors or two matrices of float64 in C order."""
    cdef LazyArray x, y
    cdef Factor left, right
    cdef Node made
    cdef npy_intp shape[2]
    cdef npy_intp i, j, k, l
    cdef double value
    cdef double* to
    if n != 2 or names is not None:
        return NotImplemented
    x, y = ready_factor(args[0]), ready_factor(args[1])
    if x is None or y is None or x.node.ndim > 2 or x.node.ndim != y.node.ndim or not x.node.contiguous \
            or not y.node.contiguous or x.node.typenum != cnp.NPY_DOUBLE or y.node.typenum != cnp.NPY_DOUBLE \
            or <double>x.node.size * y.node.size > MOST_PRODUCTS:
        return NotImplemented
    read_factor(x, False, &left)
    read_factor(y, False, &right)
    shape[0], shape[1] = left.rows * right.rows, left.columns * right.columns
    made = new_leaf(x.node.ndim, shape + 2 - x.node.ndim, cnp.NPY_DOUBLE)
    to = <double*>made.data
    lz_fp_clear()
    for i in range(left.rows):
        for k in range(right.rows):
            for j in range(left.columns):
                value = (<double*>left.data)[i * left.columns + j]
                for l in range(right.columns):
                    to[l] = value * (<double*>right.data)[k * right.columns + l]
                to += right.columns
    return NotImplemented if must_report(lz_fp_take()) else new_view(new_base(made), made, True)  # as NumPy has it


cdef void cross_lines(number* out, npy_intp n, Factor* left, Factor* right) noexcept:
    """Compute the cross products of n pairs of 3-vectors, in NumPy's steps."""
    cdef char* a = left.data
    cdef char* b = right.data
    cdef npy_intp a_part = left.column_step, b_part = right.column_step, _i
    cdef number a0, a1, a2, b0, b1, b2
    for _i in range(n):
        a0, a1, a2 = (<number*>a)[0], (<number*>(a + a_part))[0], (<number*>(a + 2 * a_part))[0]
        b0, b1, b2 = (<number*>b)[0], (<number*>(b + b_part))[0], (<number*>(b + 2 * b_part))[0]
        out[0] = a1 * b2 - a2 * b1
        out[1] = a2 * b0 - a0 * b2
        out[2] = a0 * b1 - a1 * b0
        out += 3
        a += left.row_step
        b += right.row_step


cdef object _cross(PyObject** args, Py_ssize_t n, object names, int variant):
    """cross(x, y) of 3-vectors or rows of them, of one dtype, along the last axis."""
    cdef LazyArray x, y
    cdef Factor left, right
    cdef Node made
    cdef npy_intp shape[2]
    cdef npy_intp count
    cdef int ndim, code
    if n != 2 or names is not None:
        return NotImplemented
    x, y = ready_factor(args[0]), ready_factor(args[1])
    if x is None or y is None or x.node.ndim > 2 or y.node.ndim > 2 or x.node.typenum != y.node.typenum:
        return NotImplemented
    read_factor(x, False, &left)
    read_factor(y, False, &right)
    count, ndim, code = max(left.rows, right.rows), max(left.ndim, right.ndim), x.node.typenum
    if left.columns != 3 or right.columns != 3 or left.rows not in (1, count) or right.rows not in (1, count) \
            or count > MOST_PRODUCTS:
        return NotImplemented
    if left.rows == 1:
        left.row_step = 0
    if right.rows == 1:
        right.row_step = 0
    shape[0], shape[1] = count, 3
    if code != cnp.NPY_DOUBLE and code != cnp.NPY_FLOAT and code != cnp.NPY_LONG:
        return NotImplemented
    made = new_leaf(ndim, shape + 2 - ndim, code)
    lz_fp_clear()
    if code == cnp.NPY_DOUBLE:
        cross_lines(<double*>made.data, count, &left, &right)
    elif code == cnp.NPY_FLOAT:
        cross_lines(<float*>made.data, count, &left, &right)
    else:
        cross_lines(<long*>made.data, count, &left, &right)
    return NotImplemented if must_report(lz_fp_take()) else new_view(new_base(made), made, True)  # as NumPy has it


add_native("outer linalg.outer", _outer)
add_native("kron", _kron)
add_native("cross linalg.cross", _cross)
