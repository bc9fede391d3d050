"""Eager functions and methods that return views, of evaluated and pending arrays."""
from cpython.sequence cimport PySequence_Fast_ITEMS

cimport numpy as cnp

from lazyarr._core.eager.creation cimport copied
from lazyarr._core.eager.forms cimport (
    MAX_DIMS, Node, Ufunc, add_native, axis_argument, axis_number, descr_of, find_ufunc, memcpy, new_base, new_view,
    new_window, npy_intp, window_view)
from lazyarr._core.frontend.eager cimport has_values
from lazyarr._core.frontend.eager_ufunc cimport call_at_once
from lazyarr._core.frontend.hooks cimport call_hook
from lazyarr._core.frontend.reshape cimport matched, read_extents
from lazyarr._core.frontend.storage cimport relaid

import numpy as np


cdef tuple _integers = (int, np.integer)
cdef Ufunc* _conjugate_loops = find_ufunc(np.conjugate)


cdef LazyArray viewed(PyObject** args, Py_ssize_t n, object names, Py_ssize_t least, Py_ssize_t most):
    """Return the array of a call without keywords that can have views; None for other calls."""
    cdef LazyArray x
    if names is not None or not least <= n <= most or type(<object>args[0]) is not LazyArray:
        return None
    x = <LazyArray>args[0]
    return None if x.scalar or x.mask is not None else x


cdef object reshaped_view(LazyArray x, PyObject** shape, Py_ssize_t n):
    """Return a reshaped view; NotImplemented if a copy is needed, or the shape is wrong."""
    cdef npy_intp dims[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int nd
    cdef Py_ssize_t d
    for d in range(n):
        if type(<object>shape[d]) is not int and not isinstance(<object>shape[d], _integers):
            return NotImplemented  # a user's __index__ must run only once
    nd = -1 if x.node.size == 0 else read_extents(shape, n, x.node.size, dims)
    if nd < 0:
        return NotImplemented
    if not matched(x.node.ndim, x.node.shape, x.node.strides, nd, dims, strides, x.node.itemsize):
        x = copy_in_c_order(x)  # NumPy returns a view of the copy
        if x is None or not matched(x.node.ndim, x.node.shape, x.node.strides, nd, dims, strides, x.node.itemsize):
            return NotImplemented
    return window_view(x, nd, dims, strides, x.node.offset, True)


cdef LazyArray copy_in_c_order(LazyArray x):
    """Return a C-ordered copy of a small evaluated array; None for any other array."""
    cdef PyObject* given = <PyObject*>x
    made = copied(&given, 1, None, False)
    return None if made is NotImplemented else made


cdef object _method_reshape(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = viewed(args, n, names, 2, 9)
    if x is None:
        return NotImplemented
    if n == 2 and type(<object>args[1]) is tuple:
        return reshaped_view(x, PySequence_Fast_ITEMS(<object>args[1]), len(<tuple>args[1]))
    return reshaped_view(x, args + 1, n - 1)


cdef object _reshape(PyObject** args, Py_ssize_t n, object names, int variant):
    return _method_reshape(args, n, names, variant) if n == 2 else NotImplemented


cdef object _ravel(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = viewed(args, n, names, 1, 1)
    cdef npy_intp step
    if x is None or x.node.size == 0:
        return NotImplemented
    step = x.node.itemsize
    if not x.node.contiguous:
        x = copy_in_c_order(x)
        if x is None:
            return NotImplemented
        return new_base(relaid(x.node, window_view(x, 1, &x.node.size, &step, 0, True).node))
    return window_view(x, 1, &x.node.size, &step, x.node.offset, True)


cdef object _transpose(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = viewed(args, n, names, 1, 1)
    return NotImplemented if x is None else x.T


cdef LazyArray turned(LazyArray x, int first, int second, uint64_t backwards):
    """Return a view with two axes swapped, then those in `backwards` (bits) reversed."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp offset = x.node.offset
    cdef Node node = x.node
    cdef int d
    memcpy(shape, node.shape, node.ndim * sizeof(npy_intp))
    memcpy(strides, node.strides, node.ndim * sizeof(npy_intp))
    shape[first], shape[second] = node.shape[second], node.shape[first]
    strides[first], strides[second] = node.strides[second], node.strides[first]
    for d in range(node.ndim):
        if backwards >> d & 1:
            offset += (shape[d] - 1) * strides[d]
            strides[d] = -strides[d]
    return window_view(x, node.ndim, shape, strides, offset, True)


cdef object _swapaxes(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = viewed(args, n, names, 3, 3)
    cdef int a, b
    if x is None:
        return NotImplemented
    a, b = axis_number(<object>args[1], x.node.ndim), axis_number(<object>args[2], x.node.ndim)
    return NotImplemented if a < 0 or b < 0 else turned(x, a, b, 0)


cdef object _flip(PyObject** args, Py_ssize_t n, object names, int variant):
    """flip(x) along all axes, flip(x, axis) along one."""
    cdef LazyArray x = viewed(args, n, names, 1, 2)
    cdef int axis
    if x is None or x.node.size == 0 or x.node.ndim == 0:
        return NotImplemented
    if n == 1 or <object>args[1] is None:
        return turned(x, 0, 0, ~<uint64_t>0)
    axis = axis_number(<object>args[1], x.node.ndim)
    return NotImplemented if axis < 0 else turned(x, 0, 0, <uint64_t>1 << axis)


cdef object _squeeze(PyObject** args, Py_ssize_t n, object names, int variant):
    """squeeze(x) of all axes of length 1, squeeze(x, axis) of one; x itself if there is none."""
    cdef LazyArray x = viewed(args, 1, None, 1, 1) if n else None
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int d, only = -1, nd = 0
    if x is None:
        return NotImplemented
    axis = axis_argument(args, n, names)
    if axis is not None:
        only = axis_number(axis, x.node.ndim)
        if only < 0 or x.node.shape[only] != 1:
            return NotImplemented
    for d in range(x.node.ndim):
        if x.node.shape[d] != 1 or only >= 0 and only != d:
            shape[nd], strides[nd] = x.node.shape[d], x.node.strides[d]
            nd += 1
    return x if nd == x.node.ndim else window_view(x, nd, shape, strides, x.node.offset, True)


cdef object _expand_dims(PyObject** args, Py_ssize_t n, object names, int variant):
    """expand_dims(x, axis)."""
    cdef LazyArray x = viewed(args, n, names, 2, 2)
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int axis, d, ndim
    if x is None or x.node.ndim == MAX_DIMS or x.node.size == 0:
        return NotImplemented
    ndim = x.node.ndim + 1
    axis = axis_number(<object>args[1], ndim)
    if axis < 0:
        return NotImplemented
    for d in range(ndim):
        shape[d] = 1 if d == axis else x.node.shape[d - (d > axis)]
    if not matched(x.node.ndim, x.node.shape, x.node.strides, ndim, shape, strides, x.node.itemsize):
        return NotImplemented
    return window_view(x, ndim, shape, strides, x.node.offset, True)


cdef object _broadcast_to(PyObject** args, Py_ssize_t n, object names, int variant):
    """broadcast_to(x, shape), read-only."""
    cdef LazyArray x = viewed(args, n, names, 2, 2)
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef int nd = 0, lead, d
    if x is None or type(<object>args[1]) is not tuple or not x.node.ndim <= len(<tuple>args[1]) <= MAX_DIMS:
        return NotImplemented
    for item in <tuple>args[1]:
        if type(item) is not int or not 0 <= item < 1 << 40:
            return NotImplemented
        shape[nd] = item
        nd += 1
    lead = nd - x.node.ndim
    for d in range(nd):
        strides[d] = 0
        if d >= lead and x.node.shape[d - lead] != 1:
            if x.node.shape[d - lead] != shape[d]:
                return NotImplemented
            strides[d] = x.node.strides[d - lead]
    return window_view(x, nd, shape, strides, x.node.offset, False)


def real_part(LazyArray x):
    """Return x.real: a view of a complex array, any other array itself."""
    cdef Node node = x.node
    if x.mask is None and not x.scalar and node.typenum >= 0:
        if cnp.NPY_CFLOAT <= node.typenum <= cnp.NPY_CLONGDOUBLE:
            return part_view(x, 0)
        if node.typenum <= cnp.NPY_LONGDOUBLE:
            return x
    return call_hook("real_part", (x,))


def imag_part(LazyArray x):
    """Return x.imag: a view of a complex array, zeros for any other."""
    cdef Node node = x.node
    if x.mask is None and not x.scalar and node.typenum >= 0 \
            and cnp.NPY_CFLOAT <= node.typenum <= cnp.NPY_CLONGDOUBLE:
        return part_view(x, node.itemsize // 2)
    return call_hook("imag_part", (x,))


cdef object _conjugate(PyObject** args, Py_ssize_t n, object names, int variant):
    """The method: a real array returns itself."""
    cdef LazyArray x
    if n != 1 or names is not None or type(<object>args[0]) is not LazyArray:
        return NotImplemented
    x = <LazyArray>args[0]
    if x.scalar or not has_values(x) or not 0 <= x.node.typenum <= cnp.NPY_CLONGDOUBLE:
        return NotImplemented
    if x.node.typenum < cnp.NPY_CFLOAT:
        return x
    made = call_at_once(_conjugate_loops, x, None)
    return NotImplemented if made is None else made


cdef LazyArray part_view(LazyArray x, npy_intp behind):
    """Return the real or imaginary parts of a complex array, `behind` bytes into its elements."""
    cdef Node node = x.node
    cdef int code = node.typenum - cnp.NPY_CFLOAT + cnp.NPY_FLOAT
    return new_view(x, new_window(node.ndim, node.shape, node.strides, node.offset + behind,
                                  descr_of(code), code), True)


add_native("reshape", _reshape)
add_native("ndarray.reshape", _method_reshape)
add_native("ravel ndarray.ravel", _ravel)
add_native("transpose ndarray.transpose", _transpose)
add_native("swapaxes ndarray.swapaxes", _swapaxes)
add_native("squeeze ndarray.squeeze", _squeeze)
add_native("flip", _flip)
add_native("expand_dims", _expand_dims)
add_native("ndarray.conj ndarray.conjugate", _conjugate)
add_native("broadcast_to", _broadcast_to)
