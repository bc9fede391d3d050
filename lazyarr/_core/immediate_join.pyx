"""Joining, shifting and differences at once, of arrays in C order."""
from cpython.object cimport PyObject
from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.array cimport LazyArray
from lazyarr._core.flags cimport lz_fp_clear, lz_fp_take
from lazyarr._core.immediate cimport SMALL_ELEMENTS, first_of, is_enabled, is_ready, must_report, new_base, new_leaf
from lazyarr._core.immediate_fold cimport axis_argument, small_array
from lazyarr._core.natives cimport add_native
from lazyarr._core.node cimport MAX_DIMS, Node

cdef enum Joining:
    CONCATENATE
    STACK
    VSTACK
    HSTACK


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


cdef object _concatenate(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, CONCATENATE)


cdef object _stack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, STACK)


cdef object _vstack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, VSTACK)


cdef object _hstack(PyObject** args, Py_ssize_t n, object names):
    return joined(args, n, names, HSTACK)


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
    memcpy(made.data + shift * width, first_of(x), (count - shift) * width)
    memcpy(made.data, first_of(x) + (count - shift) * width, shift * width)
    return new_base(made)


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
    add_native("concatenate", _concatenate)
    add_native("stack", _stack)
    add_native("vstack", _vstack)
    add_native("hstack", _hstack)
    add_native("roll", _roll)
    add_native("diff", _diff)
    return 0


_state()
