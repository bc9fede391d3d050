# cython: cdivision=True
# (floats are divided as C divides them)
"""Eager functions of samples: integrals, gradients, unwrapped phases and polynomial values.

They follow NumPy's steps and order. Calls that set a status flag are left to NumPy, which reports it.
"""
from libc.math cimport M_PI, copysign, fabs, fmod, isnan

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LazyArray, Node, PyObject, add_native, as_doubles, bind, first_of, lz_fp_clear, lz_fp_take, memcpy, must_report,
    new_base, new_leaf, npy_intp, read_number, scalar_at, small_array)
from lazyarr._core.eager.reductions cimport sum_of_doubles

cdef enum:
    MOST_COEFFICIENTS = 64  # most coefficients of a polynomial


cdef LazyArray float_line(PyObject** args, Py_ssize_t n):
    """Return the first argument if it is a small contiguous 1-d float64 array; else None."""
    cdef LazyArray x = small_array(args, n)
    return None if x is None or x.node.ndim != 1 or x.node.typenum != cnp.NPY_DOUBLE else as_doubles(x)


cdef object _trapezoid(PyObject** args, Py_ssize_t n, object names, int variant):
    """trapezoid(y, x) and trapezoid(y, dx=dx) of float64 samples."""
    cdef PyObject* bound[3]
    cdef LazyArray y, x
    cdef Node areas
    cdef double width = 1, total = 0
    cdef double* ys
    cdef double* xs = NULL
    cdef double* values
    cdef npy_intp count, i
    if not bind(args, n, names, ("y", "x", "dx"), 1, bound) or not read_number(bound[2], &width):
        return NotImplemented
    y = float_line(bound, 1)
    if y is None:
        return NotImplemented
    if bound[1] is not NULL and <object>bound[1] is not None:
        x = float_line(bound + 1, 1)
        if x is None or x.node.size != y.node.size:
            return NotImplemented
        xs = <double*>first_of(x)
    ys = <double*>first_of(y)
    count = y.node.size - 1
    if count:
        areas = new_leaf(1, &count, cnp.NPY_DOUBLE)
        values = <double*>areas.data
        lz_fp_clear()
        if xs is NULL:
            for i in range(count):
                values[i] = width * (ys[i + 1] + ys[i]) / 2.0
        else:
            for i in range(count):
                values[i] = (xs[i + 1] - xs[i]) * (ys[i + 1] + ys[i]) / 2.0
        total = sum_of_doubles(values, count)
        if must_report(lz_fp_take()) or isnan(total):
            return NotImplemented  # which of two NaNs comes out is NumPy's affair
    return scalar_at(cnp.NPY_DOUBLE, <char*>&total)


cdef object _gradient(PyObject** args, Py_ssize_t n, object names, int variant):
    """gradient(f) and gradient(f, spacing) of evenly spaced 1-d samples."""
    cdef LazyArray x = small_array(args, n)
    cdef double spacing = 1
    cdef double* f
    cdef double* values
    cdef npy_intp i, count
    cdef Node made
    if x is None or n > 2 or names is not None or x.node.ndim != 1 or x.node.size < 2 \
            or x.node.typenum == cnp.NPY_BOOL or not read_number(args[1] if n == 2 else NULL, &spacing):
        return NotImplemented
    x = as_doubles(x)
    if x is None:
        return NotImplemented
    count = x.node.size
    f = <double*>first_of(x)
    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
    values = <double*>made.data
    lz_fp_clear()
    values[0] = (f[1] - f[0]) / spacing
    for i in range(1, count - 1):
        values[i] = (f[i + 1] - f[i - 1]) / (2.0 * spacing)
    values[count - 1] = (f[count - 1] - f[count - 2]) / spacing
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef inline double remainder_of(double a, double b) noexcept:
    """NumPy's remainder by a positive number, never negative."""
    cdef double found
    if 0 < a < b:
        return a
    found = fmod(a, b)
    if found:
        return found + b if found < 0 else found
    return copysign(0, b)


cdef object _unwrap(PyObject** args, Py_ssize_t n, object names, int variant):
    """unwrap(p) of 1-d float64 phases."""
    cdef LazyArray x
    cdef double* p
    cdef double* values
    cdef double step, turned, shift = 0
    cdef npy_intp i
    cdef Node made
    if n != 1 or names is not None:
        return NotImplemented
    x = float_line(args, n)
    if x is None:
        return NotImplemented
    p = <double*>first_of(x)
    made = new_leaf(1, &x.node.size, cnp.NPY_DOUBLE)
    values = <double*>made.data
    values[0] = p[0]
    lz_fp_clear()
    for i in range(1, made.size):
        step = p[i] - p[i - 1]
        if not fabs(step) < M_PI:
            turned = remainder_of(step + M_PI, 2 * M_PI) - M_PI
            if turned == -M_PI and step > 0:
                turned = M_PI
            shift += turned - step
        values[i] = p[i] + shift
    return NotImplemented if must_report(lz_fp_take()) or isnan(shift) else new_base(made)


cdef int read_coefficients(PyObject* given, double* into) except -2:
    """Read polynomial coefficients from a float64 array or a list; return their number, -1 for others and NaNs."""
    cdef LazyArray x
    cdef int count = 0, i
    if type(<object>given) is LazyArray:
        x = float_line(&given, 1)
        if x is None or x.node.size > MOST_COEFFICIENTS:
            return -1
        count = <int>x.node.size
        memcpy(into, first_of(x), x.node.size * 8)
    elif type(<object>given) is list and 0 < len(<list>given) <= MOST_COEFFICIENTS:
        for number in <list>given:
            if not read_number(<PyObject*>number, &into[count]):
                return -1
            count += 1
    else:
        return -1
    for i in range(count):
        if isnan(into[i]):
            return -1
    return count


cdef object _polyval(PyObject** args, Py_ssize_t n, object names, int variant):
    """polyval(p, x) of float64 elements in C order."""
    cdef LazyArray x
    cdef double coefficients[MOST_COEFFICIENTS]
    cdef double* at
    cdef double* values
    cdef npy_intp i
    cdef int count, k
    cdef Node made
    if n != 2 or names is not None:
        return NotImplemented
    x = small_array(args + 1, 1)
    count = -1 if x is None else read_coefficients(args[0], coefficients)
    if count < 0 or x.node.typenum != cnp.NPY_DOUBLE or not x.node.contiguous:
        return NotImplemented
    at = <double*>first_of(x)
    made = new_leaf(x.node.ndim, x.node.shape, cnp.NPY_DOUBLE)
    values = <double*>made.data
    lz_fp_clear()
    for i in range(made.size):
        values[i] = 0 * at[i] + coefficients[0]
    for k in range(1, count):
        for i in range(made.size):
            values[i] = values[i] * at[i] + coefficients[k]
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


add_native("trapezoid", _trapezoid)
add_native("gradient", _gradient)
add_native("unwrap", _unwrap)
add_native("polyval", _polyval)
