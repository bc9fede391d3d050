"""Means, variances and standard deviations at once, of all elements or along one axis of a matrix, in NumPy's steps.

A call that sets a floating-point flag is left to NumPy, which reports it.
"""
from cpython.object cimport PyObject
from libc.math cimport sqrt
from libc.string cimport memcpy, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.immediate cimport SMALL_ELEMENTS, first_of, must_report, new_base, scalar_at
from lazyarr._core.immediate_fold cimport (
    FOLDED, LINEAR, MEAN, STD, SUM, VAR, fold, fold_axis, fold_line, fold_loop, fold_rows, leaf_of_fold, ready_array)
from lazyarr._core.loops cimport Loop
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport Node

cdef enum:
    SQUARES = 2048  # squares that are summed while they are in the first cache

cdef Loop* _sum_of_doubles = fold_loop(SUM, cnp.NPY_DOUBLE)
cdef double _room[LINEAR]   # for a part of a line or row; used under the GIL, between two calls of Python


cdef void statistic_line(int which, double* data, npy_intp n, npy_intp step, double* into) noexcept:
    """Mean, variance or standard deviation of float64 elements that lie `step` of them apart, in NumPy's steps."""
    cdef double mean, squares
    fold_line(_sum_of_doubles, SUM, <char*>&mean, <char*>data, n, step * sizeof(double))
    mean /= n
    if which == MEAN:
        into[0] = mean
        return
    squares = sum_of_squares(data, n, step, mean) / n
    into[0] = sqrt(squares) if which == STD else squares


cdef double sum_of_squares(double* data, npy_intp n, npy_intp step, double mean) noexcept:
    """The sum of the squared distances from the mean, in the order of NumPy's pairwise sum: by halves."""
    cdef double total
    cdef npy_intp i, half = n // 2 & ~7
    if n > SQUARES:
        return sum_of_squares(data, half, step, mean) + sum_of_squares(data + half * step, n - half, step, mean)
    for i in range(n):
        total = data[i * step] - mean
        _room[i] = total * total
    fold_line(_sum_of_doubles, SUM, <char*>&total, <char*>_room, n, 8)
    return total


cdef object statistic(int which, PyObject** args, Py_ssize_t n, object names):
    cdef LazyArray x = ready_array(args, n, FOLDED if which == MEAN else SMALL_ELEMENTS)
    cdef npy_intp i
    cdef double value
    cdef float single
    cdef bint keeps
    cdef Node node, made
    if x is None:
        return NotImplemented
    node = x.node
    axis = fold_axis(args, n, names, &keeps)
    if keeps and (axis is None or node.ndim != 2):
        return NotImplemented
    if not (axis is None or type(axis) is int) or node.size > LINEAR and node.typenum != cnp.NPY_DOUBLE:
        return NotImplemented
    if node.ndim == 1 and (axis == 0 or axis == -1):
        axis = None
    if not node.contiguous:
        return strided_statistic(which, x, axis, args, n, names)
    lz_fp_clear()
    if axis is None:
        if node.typenum == cnp.NPY_DOUBLE:
            statistic_line(which, <double*>first_of(x), node.size, 1, &value)
        elif which == MEAN and node.typenum == cnp.NPY_FLOAT:
            fold_line(fold_loop(SUM, cnp.NPY_FLOAT), SUM, <char*>&single, first_of(x), node.size, 4)
            single = <float>(<double>single / node.size)
            return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_FLOAT, <char*>&single)
        elif which == MEAN and node.typenum == cnp.NPY_LONG:
            for i in range(node.size):
                _room[i] = <double>(<long*>first_of(x))[i]
            statistic_line(which, _room, node.size, 1, &value)
        elif which == MEAN and node.typenum == cnp.NPY_BOOL:
            for i in range(node.size):
                _room[i] = first_of(x)[i]
            statistic_line(which, _room, node.size, 1, &value)
        else:
            return NotImplemented
        return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_DOUBLE, <char*>&value)
    if node.ndim != 2 or not -2 <= axis < 2 or node.typenum != cnp.NPY_DOUBLE:
        return NotImplemented
    axis = axis & 1
    made = leaf_of_fold(node, axis, keeps, cnp.NPY_DOUBLE)
    if axis:
        for i in range(node.shape[0]):
            statistic_line(which, <double*>(first_of(x) + i * node.strides[0]), node.shape[1], 1,
                           <double*>made.data + i)
    else:
        columns_statistic(which, <double*>first_of(x), node.shape[0], node.shape[1], <double*>made.data)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef object strided_statistic(int which, LazyArray x, object axis, PyObject** args, Py_ssize_t n, object names):
    """The same of float64 elements that do not lie densely: of one axis, or means of a matrix."""
    cdef npy_intp i, count
    cdef double value
    cdef Node made
    if x.node.typenum != cnp.NPY_DOUBLE:
        return NotImplemented
    if x.node.ndim == 1 and axis is None and x.node.strides[0] % sizeof(double) == 0:
        lz_fp_clear()
        statistic_line(which, <double*>first_of(x), x.node.size, x.node.strides[0] // <npy_intp>sizeof(double), &value)
        return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_DOUBLE, <char*>&value)
    total = fold(SUM, args, n, names) if which == MEAN else NotImplemented
    if total is NotImplemented:
        return NotImplemented
    lz_fp_clear()
    if type(total) is not LazyArray:
        value = <double>total / x.node.size
        return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_DOUBLE, <char*>&value)
    made = (<LazyArray>total).node
    count = x.node.size // made.size
    for i in range(made.size):
        (<double*>made.data)[i] /= count
    return NotImplemented if must_report(lz_fp_take()) else total


cdef void columns_statistic(int which, double* data, npy_intp rows, npy_intp columns, double* into) noexcept:
    """The same of each column of a matrix that lies densely."""
    cdef npy_intp r, c, first, count
    cdef double apart
    fold_rows(_sum_of_doubles, SUM, <char*>into, <char*>data, rows, columns, columns * sizeof(double))
    for c in range(columns):
        into[c] /= rows
    if which == MEAN:
        return
    if columns == 1:
        into[0] = sum_of_squares(data, rows, 1, into[0])
    else:
        for first in range(0, columns, LINEAR):
            count = min(columns - first, LINEAR)
            memset(_room, 0, count * sizeof(double))
            for r in range(rows):
                for c in range(count):
                    apart = data[r * columns + first + c] - into[first + c]
                    _room[c] += apart * apart
            memcpy(into + first, _room, count * sizeof(double))
    for c in range(columns):
        into[c] = sqrt(into[c] / rows) if which == STD else into[c] / rows


cdef object _mean(PyObject** args, Py_ssize_t n, object names):
    return statistic(MEAN, args, n, names)


cdef object _var(PyObject** args, Py_ssize_t n, object names):
    return statistic(VAR, args, n, names)


cdef object _std(PyObject** args, Py_ssize_t n, object names):
    return statistic(STD, args, n, names)


cdef int _state() except -1:
    for face in ("", "ndarray."):
        add_native(face + "mean", _mean)
        add_native(face + "var", _var)
        add_native(face + "std", _std)
    return 0


_state()
