"""Eager means, variances and standard deviations, of all elements or along one axis of a matrix.

They follow NumPy's steps. Calls that set a status flag are left to NumPy, which reports it.
"""
from libc.math cimport sqrt
from libc.stdlib cimport free, malloc

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LazyArray, Loop, Node, add_native, first_of, lz_fp_clear, lz_fp_take, memcpy, memset, must_report, new_base,
    npy_intp, ready_array, real, scalar_at)
from lazyarr._core.eager.reductions cimport (
    FOLDED, LINEAR, MEAN, STD, SUM, VAR, fold, fold_axis, fold_line, fold_loop, fold_rows, leaf_of_fold, sum_of_doubles)

cdef enum:
    SQUARES = 2048  # squares summed while they are in the first-level cache

cdef Loop* _sum_of_singles = fold_loop(SUM, cnp.NPY_FLOAT)
cdef Loop* _sum_of_doubles = fold_loop(SUM, cnp.NPY_DOUBLE)
cdef double _room[LINEAR]   # buffer for a part of a line or row; used under the GIL, between two Python calls


cdef inline Loop* sum_loop(real* kind) noexcept:
    return _sum_of_singles if real is float else _sum_of_doubles


cdef inline void finish(int which, real* value, npy_intp n) noexcept:
    """Turn a sum into a mean, variance or deviation; NumPy divides in double precision."""
    value[0] = <real>(<double>value[0] / n)
    if which == STD:
        value[0] = <real>sqrt(value[0])


cdef void statistic_line(int which, real* data, npy_intp n, npy_intp step, real* into) noexcept:
    """Compute a mean, variance or deviation of elements with a stride of `step` elements, in NumPy's steps."""
    fold_line(sum_loop(data), SUM, <char*>into, <char*>data, n, step * sizeof(real))
    finish(MEAN, into, n)
    if which != MEAN:
        into[0] = sum_of_squares(data, n, step, into[0])
        finish(which, into, n)


cdef real sum_of_squares(real* data, npy_intp n, npy_intp step, real mean) noexcept:
    """Return the sum of squared distances from the mean, in the order of NumPy's pairwise sum."""
    cdef real total
    cdef real* room = <real*>_room
    cdef npy_intp i, half = n // 2 & ~7
    if n > SQUARES:
        return sum_of_squares(data, half, step, mean) + sum_of_squares(data + half * step, n - half, step, mean)
    for i in range(n):
        total = data[i * step] - mean
        room[i] = total * total
    fold_line(sum_loop(data), SUM, <char*>&total, <char*>room, n, sizeof(real))
    return total


cdef object statistic(PyObject** args, Py_ssize_t n, object names, int which):
    cdef LazyArray x = ready_array(args, n, FOLDED)
    cdef bint keeps
    cdef Node node
    if x is None:
        return NotImplemented
    node = x.node
    axis = fold_axis(args, n, names, &keeps)
    if keeps and (axis is None or node.ndim != 2) or not (axis is None or type(axis) is int):
        return NotImplemented
    if node.ndim == 1 and (axis == 0 or axis == -1):
        axis = None
    if node.typenum == cnp.NPY_DOUBLE or node.typenum == cnp.NPY_FLOAT:
        if not node.contiguous:
            return strided_statistic(which, x, axis, args, n, names)
        if axis is None:
            return statistic_of_all(which, x, 1)
        return statistic_along(which, x, axis, keeps)
    if axis is None and node.contiguous and (node.typenum == cnp.NPY_LONG or node.typenum == cnp.NPY_BOOL):
        return statistic_of_integers(which, node, first_of(x))
    return NotImplemented


cdef object statistic_of_all(int which, LazyArray x, npy_intp step):
    """Return a statistic of elements with a stride of `step` elements."""
    cdef double value
    cdef int code = x.node.typenum
    lz_fp_clear()
    if code == cnp.NPY_DOUBLE:
        statistic_line(which, <double*>first_of(x), x.node.size, step, &value)
    else:
        statistic_line(which, <float*>first_of(x), x.node.size, step, <float*>&value)
    return NotImplemented if must_report(lz_fp_take()) else scalar_at(code, <char*>&value)


cdef object statistic_of_integers(int which, Node node, char* data):
    """Return a statistic of integers or bools, which NumPy casts piecewise for the mean."""
    cdef npy_intp i, n = node.size
    cdef double total = 0
    cdef double* values = <double*>malloc(n * sizeof(double))
    if values is NULL:
        raise MemoryError()
    for i in range(n):
        values[i] = <double>data[i] if node.typenum == cnp.NPY_BOOL else <double>(<long*>data)[i]
    lz_fp_clear()
    for i in range(0, n, LINEAR):
        total += sum_of_doubles(values + i, min(n - i, LINEAR))
    finish(MEAN, &total, n)
    if which != MEAN:
        total = sum_of_squares(values, n, 1, total)
        finish(which, &total, n)
    free(values)
    return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_DOUBLE, <char*>&total)


cdef object statistic_along(int which, LazyArray x, int axis, bint keeps):
    """Return a statistic of each row or column of a contiguous matrix."""
    cdef Node made, node = x.node
    if node.ndim != 2 or not -2 <= axis < 2:
        return NotImplemented
    made = leaf_of_fold(node, axis & 1, keeps, node.typenum)
    lz_fp_clear()
    if node.typenum == cnp.NPY_DOUBLE:
        lines_statistic(which, <double*>first_of(x), node, axis & 1, <double*>made.data)
    else:
        lines_statistic(which, <float*>first_of(x), node, axis & 1, <float*>made.data)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef void lines_statistic(int which, real* data, Node node, bint rows, real* into) noexcept:
    cdef npy_intp i, columns = node.shape[1]
    if not rows:
        columns_statistic(which, data, node.shape[0], columns, into)
        return
    for i in range(node.shape[0]):
        statistic_line(which, data + i * columns, columns, 1, into + i)


cdef void columns_statistic(int which, real* data, npy_intp rows, npy_intp columns, real* into) noexcept:
    cdef npy_intp r, c, first, count
    cdef real apart
    cdef real* room = <real*>_room
    fold_rows(sum_loop(data), SUM, <char*>into, <char*>data, rows, columns, columns * sizeof(real))
    for c in range(columns):
        finish(MEAN, into + c, rows)
    if which == MEAN:
        return
    if columns == 1:
        into[0] = sum_of_squares(data, rows, 1, into[0])
    else:
        for first in range(0, columns, LINEAR):
            count = min(columns - first, LINEAR)
            memset(room, 0, count * sizeof(real))
            for r in range(rows):
                for c in range(count):
                    apart = data[r * columns + first + c] - into[first + c]
                    room[c] += apart * apart
            memcpy(into + first, room, count * sizeof(real))
    for c in range(columns):
        finish(which, into + c, rows)


cdef object strided_statistic(int which, LazyArray x, object axis, PyObject** args, Py_ssize_t n, object names):
    """Return a statistic of strided elements of one axis, or means of a matrix."""
    cdef npy_intp i, count
    cdef int code = x.node.typenum
    cdef double value
    cdef Node made
    if x.node.ndim == 1 and axis is None and x.node.strides[0] % x.node.itemsize == 0:
        return statistic_of_all(which, x, x.node.strides[0] // x.node.itemsize)
    total = fold(args, n, names, SUM) if which == MEAN else NotImplemented
    if total is NotImplemented:
        return NotImplemented
    lz_fp_clear()
    if type(total) is not LazyArray:
        value = <double>total / x.node.size
        if code == cnp.NPY_FLOAT:
            (<float*>&value)[0] = <float>value
        return NotImplemented if must_report(lz_fp_take()) else scalar_at(code, <char*>&value)
    made = (<LazyArray>total).node
    count = x.node.size // made.size
    for i in range(made.size):
        if code == cnp.NPY_DOUBLE:
            finish(MEAN, <double*>made.data + i, count)
        else:
            finish(MEAN, <float*>made.data + i, count)
    return NotImplemented if must_report(lz_fp_take()) else total


add_native("mean ndarray.mean", statistic, MEAN)
add_native("var ndarray.var", statistic, VAR)
add_native("std ndarray.std", statistic, STD)
