"""Choosing, sorting, joining and shifting at once."""
from cpython.object cimport PyObject
from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.build cimport broadcast_into
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.handles cimport new_view
from lazyarr._core.immediate cimport (
    SMALL_ELEMENTS, first_of, is_enabled, is_ready, must_report, new_base, new_leaf, show)
from lazyarr._core.immediate_fold cimport axis_argument, small_array
from lazyarr._core.immediate_index cimport taken
from lazyarr._core.immediate_loop cimport run_loop
from lazyarr._core.immediate_make cimport copied, strong
from lazyarr._core.immediate_ufunc cimport Operand, broadcast_strides, fill_weak, read_operand
from lazyarr._core.loops cimport WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, Loop, exact_loop, find_ufunc, select_loop
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport MAX_DIMS, Node

import numpy as np

cdef object _numpy_clip = np._core.umath.clip

# ---- choosing ------------------------------------------------------------------------------------------


cdef object _where(PyObject** args, Py_ssize_t n, object names):
    """where(mask, x, y) of one dtype, or of a number and an array that gives the dtype."""
    cdef Operand op[3]
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp spread[3][MAX_DIMS]
    cdef npy_intp* strides[4]
    cdef char* data[4]
    cdef int ndim = 0, k, code = -1
    cdef npy_intp size = 1
    cdef Node made
    if n != 3 or names is not None or not is_enabled():
        return NotImplemented
    _held = [read_operand(<object>args[k], &op[k]) for k in range(3)]
    if op[0].node is NULL or op[0].code != cnp.NPY_BOOL or op[1].code < 0 or op[2].code < 0:
        return NotImplemented
    for k in range(1, 3):
        if not WEAK_INT <= op[k].code <= WEAK_COMPLEX:
            if code >= 0 and code != op[k].code:
                return NotImplemented
            code = op[k].code
    for k in range(1, 3):
        if code < 0:  # Python's numbers alone
            if op[1].code != op[2].code:
                return NotImplemented
            if not strong(&op[k], <object>args[k]):
                return NotImplemented
        elif WEAK_INT <= op[k].code <= WEAK_COMPLEX:
            if op[k].code == WEAK_FLOAT and code < cnp.NPY_FLOAT \
                    or op[k].code == WEAK_COMPLEX and code < cnp.NPY_CFLOAT \
                    or code == cnp.NPY_BOOL or code > cnp.NPY_CLONGDOUBLE \
                    or not fill_weak(<object>args[k], &op[k], code):
                return NotImplemented
    code = op[1].code if code < 0 else code
    for k in range(3):
        if op[k].node is not NULL and not broadcast_into(<Node>op[k].node, &ndim, shape):
            return NotImplemented
        data[k] = op[k].data
    for k in range(ndim):
        size *= shape[k]
    if size > SMALL_ELEMENTS or ndim == 0:
        return NotImplemented
    made = new_leaf(ndim, shape, code)
    for k in range(3):
        if op[k].node is not NULL and not (<Node>op[k].node).contiguous and ndim > 1:
            return NotImplemented  # the order of the result's axes is NumPy's to say
        broadcast_strides(&op[k], ndim, spread[k])
        strides[k] = spread[k]
    data[3], strides[3] = made.data, made.strides
    run_loop(select_loop(code), ndim, shape, data, strides, 4)
    return new_base(made)


cdef object _clip(PyObject** args, Py_ssize_t n, object names):
    """clip(x, low, high) between numbers that have x's dtype or take it."""
    cdef LazyArray x = small_array(args, n)
    cdef Operand op[2]
    cdef int types[4]
    cdef char* data[4]
    cdef npy_intp steps[4]
    cdef npy_intp size
    cdef Loop* loop
    cdef Node made
    cdef int k, code
    if x is None or n != 3 or names is not None or not x.node.contiguous:
        return NotImplemented
    code = x.node.typenum
    if code != cnp.NPY_LONG and code != cnp.NPY_FLOAT and code != cnp.NPY_DOUBLE:
        return NotImplemented
    for k in range(2):
        _held = read_operand(<object>args[1 + k], &op[k])
        if op[k].node is not NULL:
            return NotImplemented
        if op[k].code == WEAK_INT or op[k].code == WEAK_FLOAT and code != cnp.NPY_LONG:
            if not fill_weak(<object>args[1 + k], &op[k], code):
                return NotImplemented
        elif op[k].code != code:
            return NotImplemented
        data[1 + k] = op[k].data
    for k in range(4):
        types[k], steps[k] = code, x.node.itemsize
    steps[1] = steps[2] = 0
    loop = exact_loop(find_ufunc(_numpy_clip), types)
    if loop is NULL:
        return NotImplemented
    size = x.node.size
    made = new_leaf(x.node.ndim, x.node.shape, code)
    data[0], data[3] = first_of(x), made.data
    lz_fp_clear()
    loop.fn(data, &size, steps, loop.data)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef object _take(PyObject** args, Py_ssize_t n, object names):
    """take(x, places) from one axis, or take(x, places, axis=0)."""
    if n < 2 or type(<object>args[0]) is not LazyArray or type(<object>args[1]) is not LazyArray or not is_enabled():
        return NotImplemented
    axis = axis_argument(args + 1, n - 1, names)
    if not is_ready(<LazyArray>args[0]) or (<LazyArray>args[1]).node.typenum == cnp.NPY_BOOL or not (
            axis is None and (<LazyArray>args[0]).node.ndim == 1 or type(axis) is int and axis == 0):
        return NotImplemented
    made = taken(<LazyArray>args[0], <LazyArray>args[1])
    return NotImplemented if made is None else made


cdef object _sort(PyObject** args, Py_ssize_t n, object names):
    """sort(x) along the last axis: a copy, sorted in place by NumPy."""
    made = copied(args, n, names)
    if made is not NotImplemented:
        show(<LazyArray>made).sort()
    return made


# ---- joining and shifting ------------------------------------------------------------------------------


cdef object joined(PyObject** args, Py_ssize_t n, object names, int kind):
    """Arrays of one dtype in C order, one behind the other: concatenate along axis 0, stack, vstack or hstack."""
    cdef LazyArray x
    cdef Node first, made
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp total = 0
    cdef char* at
    cdef int d, lead
    cdef tuple parts
    if n != 1 or names is not None or not is_enabled():
        return NotImplemented
    if type(<object>args[0]) is list:
        parts = tuple(<list>args[0])
    elif type(<object>args[0]) is tuple:
        parts = <tuple>args[0]
    else:
        return NotImplemented
    if not parts or type(parts[0]) is not LazyArray:
        return NotImplemented
    first = (<LazyArray>parts[0]).node
    if not 1 <= first.ndim <= 8 or kind == HSTACK and first.ndim != 1 or kind == VSTACK and first.ndim > 2:
        return NotImplemented
    lead = 1 if kind == STACK or kind == VSTACK and first.ndim == 1 else 0
    for part in parts:
        if type(part) is not LazyArray:
            return NotImplemented
        x = <LazyArray>part
        if not is_ready(x) or x.scalar or x.node.typenum != first.typenum or x.node.ndim != first.ndim \
                or not x.node.contiguous or x.node.size > SMALL_ELEMENTS:
            return NotImplemented
        for d in range(1 - lead, first.ndim):
            if x.node.shape[d] != first.shape[d]:
                return NotImplemented
        total += 1 if lead else x.node.shape[0]
    shape[0] = total
    for d in range(1 - lead, first.ndim):
        shape[d + lead] = first.shape[d]
    made = new_leaf(first.ndim + lead, shape, first.typenum)
    at = made.data
    for part in parts:
        x = <LazyArray>part
        memcpy(at, first_of(x), x.node.size * first.itemsize)
        at += x.node.size * first.itemsize
    return new_base(made)


cdef enum Joining:
    CONCATENATE
    STACK
    VSTACK
    HSTACK


cdef object _concatenate(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, CONCATENATE)


cdef object _stack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, STACK)


cdef object _vstack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, VSTACK)


cdef object _hstack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, HSTACK)


cdef void roll_lines(char* into, char* data, npy_intp lines, npy_intp count, npy_intp width, npy_intp shift) noexcept:
    """Copy lines of `count` items, `width` bytes each, with the items of each moved `shift` places on, around its end.
    """
    cdef npy_intp i, length = count * width
    for i in range(lines):
        memcpy(into + i * length + shift * width, data + i * length, length - shift * width)
        memcpy(into + i * length, data + (i + 1) * length - shift * width, shift * width)


cdef object _roll(PyObject** args, Py_ssize_t n, object names):
    """roll(x, shift) of all elements, or of the rows of an array in C order."""
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp shift, count, width
    cdef Node made
    if x is None or n < 2 or not x.node.contiguous or type(<object>args[1]) is not int:
        return NotImplemented
    axis = axis_argument(args + 1, n - 1, names)
    if not (axis is None or type(axis) is int and axis == 0):
        return NotImplemented
    count = x.node.size if axis is None else x.node.shape[0]
    width = x.node.size * x.node.itemsize // count
    shift = <object>args[1] % count
    made = new_leaf(x.node.ndim, x.node.shape, x.node.typenum)
    roll_lines(made.data, first_of(x), 1, count, width, shift)
    whole = new_base(made)
    return new_view(whole, made, True) if axis is None else whole  # NumPy rolls a line and gives it x's shape


cdef object _diff(PyObject** args, Py_ssize_t n, object names):
    """diff(x) of float64 elements side by side in one axis."""
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp count, i
    cdef double* data
    cdef Node made
    if x is None or n != 1 or names is not None or x.node.ndim != 1 or x.node.typenum != cnp.NPY_DOUBLE \
            or not x.node.contiguous:
        return NotImplemented
    count = x.node.size - 1
    made = new_leaf(1, &count, cnp.NPY_DOUBLE)
    data = <double*>first_of(x)
    lz_fp_clear()
    for i in range(count):
        (<double*>made.data)[i] = data[i + 1] - data[i]
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


cdef int _state() except -1:
    add_native("where", _where)
    add_native("concatenate", _concatenate)
    add_native("stack", _stack)
    add_native("vstack", _vstack)
    add_native("hstack", _hstack)
    add_native("clip", _clip)
    add_native("ndarray.clip", _clip)
    add_native("sort", _sort)
    add_native("take", _take)
    add_native("ndarray.take", _take)
    add_native("roll", _roll)
    add_native("diff", _diff)
    return 0


_state()
