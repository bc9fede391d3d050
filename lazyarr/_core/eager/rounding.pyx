"""Eager rounding and nan_to_num."""
from libc.float cimport DBL_MAX, FLT_MAX

cimport numpy as cnp

from lazyarr._core.eager.creation cimport copied
from lazyarr._core.eager.forms cimport (
    LARGE, LazyArray, Loop, Node, PyObject, Ufunc, add_native, bind, find_ufunc, first_of, lz_fp_clear, lz_fp_take,
    must_report, new_base, new_leaf, note_write, npy_intp, own_storage, read_flag, read_integer, read_number,
    ready_array, real, resolve, small_array)

import numpy as np

cdef enum:
    MOST_DECIMALS = 8       # largest power of ten in NumPy's table

cdef Ufunc* _rint = find_ufunc(np.rint)
cdef Ufunc* _multiply = find_ufunc(np.multiply)
cdef Ufunc* _divide = find_ufunc(np.divide)


cdef int call_in_place(Ufunc* u, char* data, Node made, char* factor) except -1:
    """Fill an array with a ufunc of contiguous `data` of its type and an optional number."""
    cdef int codes[2]
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp size = made.size
    cdef Loop* loop
    codes[0] = codes[1] = made.typenum
    loop = resolve(u, codes).loop
    args[0], args[u.nin - 1], args[u.nin] = data, data if factor is NULL else factor, made.data
    steps[0] = steps[1] = steps[2] = made.itemsize
    if factor is not NULL:
        steps[1] = 0
    loop.fn(args, &size, steps, loop.data)
    return 0


cdef object _round(PyObject** args, Py_ssize_t n, object names, int variant):
    """round(x, decimals) of C-ordered floats: scaled, rounded and scaled back; integers are copied."""
    cdef PyObject* bound[2]
    cdef LazyArray x = small_array(args, n)
    cdef double power = 1
    cdef float single
    cdef char* factor
    cdef npy_intp decimals = 0, _k
    cdef Node made
    if x is None or not x.node.contiguous or not bind(args, n, names, ("a", "decimals"), 1, bound) \
            or not read_integer(bound[1], -MOST_DECIMALS, MOST_DECIMALS, &decimals):
        return NotImplemented
    if cnp.NPY_BYTE <= x.node.typenum <= cnp.NPY_ULONGLONG and decimals >= 0:
        return copied(args, 1, None, True)
    if x.node.typenum != cnp.NPY_DOUBLE and x.node.typenum != cnp.NPY_FLOAT:
        return NotImplemented
    for _k in range(decimals if decimals >= 0 else -decimals):
        power *= 10
    single = <float>power
    factor = <char*>&power if x.node.typenum == cnp.NPY_DOUBLE else <char*>&single
    made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
    lz_fp_clear()
    if decimals == 0:
        call_in_place(_rint, first_of(x), made, NULL)
    else:
        call_in_place(_multiply if decimals > 0 else _divide, first_of(x), made, factor)
        call_in_place(_rint, made.data, made, NULL)
        call_in_place(_divide if decimals > 0 else _multiply, made.data, made, factor)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef void replace(real* data, real* into, npy_intp n, real nan, real high, real low) noexcept:
    """Replace NaNs and infinities by numbers."""
    cdef npy_intp i
    cdef real value, largest = DBL_MAX if real is double else FLT_MAX
    for i in range(n):
        value = data[i]
        value = value if value == value else nan
        value = high if data[i] > largest else value
        into[i] = low if data[i] < -largest else value


cdef object _nan_to_num(PyObject** args, Py_ssize_t n, object names, int variant):
    """nan_to_num(x, copy, nan, posinf, neginf) of C-ordered floats: a copy, or in place."""
    cdef PyObject* bound[5]
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef bint copy = True, is_double
    cdef double nan = 0, high = DBL_MAX, low = -DBL_MAX
    cdef char* into
    cdef Node made = None
    if x is None or not x.node.contiguous \
            or not bind(args, n, names, ("x", "copy", "nan", "posinf", "neginf"), 1, bound) \
            or not read_flag(bound[1], &copy):
        return NotImplemented
    is_double = x.node.typenum == cnp.NPY_DOUBLE
    if x.node.typenum == cnp.NPY_FLOAT:
        if n + (0 if names is None else len(<tuple>names)) > 1 + (bound[1] is not NULL):
            return NotImplemented  # the number may be too large for the type
        high, low = FLT_MAX, -FLT_MAX
    elif not is_double or not read_number(bound[2], &nan) or not read_number(bound[3], &high) \
            or not read_number(bound[4], &low):
        return NotImplemented
    if copy:
        made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
        into = made.data
    else:
        if not x.writeable or x._warns_on_write or not own_storage(x):
            return NotImplemented
        into = first_of(x)
    if is_double:
        replace(<double*>first_of(x), <double*>into, x.node.size, nan, high, low)
    else:
        replace(<float*>first_of(x), <float*>into, x.node.size, <float>nan, <float>high, <float>low)
    lz_fp_clear()
    if copy:
        return new_base(made)
    note_write(x)
    return x


add_native("round ndarray.round around", _round)
add_native("nan_to_num", _nan_to_num)
