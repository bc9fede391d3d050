"""Eager selection, sorting and differences."""
cimport numpy as cnp

from lazyarr._core.eager.creation cimport copied
from lazyarr._core.eager.forms cimport (
    LARGE, MAX_DIMS, SMALL_ELEMENTS, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, LazyArray, Loop, Node, Operand, PyObject,
    Ufunc, add_native, axis_argument, axis_number, exact_loop, fill_weak, find_ufunc, first_of, is_ready, lz_fp_clear,
    lz_fp_take, memcpy, must_report, new_base, new_leaf, note_write, npy_intp, own_storage, read_operand, ready_array,
    run_loop, show, small_array, strong, take_over, window_view)
from lazyarr._core.frontend.eager_index cimport taken
from lazyarr._core.frontend.eager_out cimport hides
from lazyarr._core.frontend.eager_ufunc cimport broadcast_strides
from lazyarr._core.frontend.ufunc_call cimport binary
from lazyarr._core.ir.builder cimport broadcast_into
from lazyarr._core.ir.data_loops cimport select_loop

import numpy as np

cdef enum:
    LONGEST = 1 << 16   # longest line that one thread sorts as fast as several

cdef Ufunc* _subtract = find_ufunc(np.subtract)
cdef object _numpy_clip = np._core.umath.clip

# ---- choosing ------------------------------------------------------------------------------------------


cdef object _where(PyObject** args, Py_ssize_t n, object names, int variant):
    """where(mask, x, y) of one dtype, or of a number and an array that determines the dtype."""
    cdef Operand op[3]
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp spread[3][MAX_DIMS]
    cdef npy_intp* strides[4]
    cdef char* data[4]
    cdef int ndim = 0, k, code = -1
    cdef npy_intp size = 1
    cdef Node made
    if n != 3 or names is not None:
        return NotImplemented
    _held = [read_operand(<object>args[k], &op[k]) for k in range(3)]
    if op[0].node is NULL or op[0].code != cnp.NPY_BOOL or op[1].code < 0 or op[2].code < 0:
        return NotImplemented
    for k in range(3):  # before conversions, which may warn
        if op[k].node is not NULL and not broadcast_into(<Node>op[k].node, &ndim, shape):
            return NotImplemented
    for k in range(ndim):
        size *= shape[k]
    if size > SMALL_ELEMENTS or ndim == 0:
        return NotImplemented
    for k in range(1, 3):
        if not WEAK_INT <= op[k].code <= WEAK_COMPLEX:
            if code >= 0 and code != op[k].code:
                return NotImplemented
            code = op[k].code
    for k in range(1, 3):
        if code < 0:  # Python numbers only
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
    made = new_leaf(ndim, shape, code)
    for k in range(3):
        if op[k].node is not NULL and not (<Node>op[k].node).contiguous and ndim > 1:
            return NotImplemented  # NumPy decides the axis order of the result
        broadcast_strides(&op[k], ndim, spread[k])
        data[k], strides[k] = op[k].data, spread[k]
    data[3], strides[3] = made.data, made.strides
    run_loop(select_loop(code), ndim, shape, data, strides, 4)
    return new_base(made)


cdef object _clip(PyObject** args, Py_ssize_t n, object names, int variant):
    """clip(x, low, high) with numbers of x's dtype or weak ones."""
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


cdef object _take(PyObject** args, Py_ssize_t n, object names, int variant):
    """take(x, indices) of a 1-d array, or take(x, indices, axis=0)."""
    if n < 2 or type(<object>args[0]) is not LazyArray or not (
            type(<object>args[1]) is list or type(<object>args[1]) is LazyArray):
        return NotImplemented
    axis = axis_argument(args + 1, n - 1, names)
    if not is_ready(<LazyArray>args[0]) or not (
            axis is None and (<LazyArray>args[0]).node.ndim == 1 or type(axis) is int and axis == 0):
        return NotImplemented
    if type(<object>args[1]) is LazyArray and (<LazyArray>args[1]).node.typenum == cnp.NPY_BOOL:
        return NotImplemented  # `take` does not accept masks
    made = taken(<LazyArray>args[0], <object>args[1])
    return NotImplemented if made is None else made


# ---- sorting -------------------------------------------------------------------------------------------


cdef int sorted_axis(LazyArray x, PyObject** args, Py_ssize_t n, object names) except -2:
    """Return the axis to sort along, by default the last one; -1 where NumPy must decide."""
    if n == 1 and names is None:
        return x.node.ndim - 1
    return axis_number(axis_argument(args, n, names), x.node.ndim)


cdef LazyArray sortable(PyObject** args, Py_ssize_t n, double longest):
    """Return the first argument if it is an array that is sorted eagerly; else None. Threads share many lines."""
    cdef LazyArray x = ready_array(args, n, longest)
    return None if x is None or x.node.ndim > 1 and x.node.size > SMALL_ELEMENTS else x


cdef object _sort(PyObject** args, Py_ssize_t n, object names, int variant):
    """sort(x, axis): a copy, sorted in place by NumPy."""
    cdef LazyArray x = sortable(args, n, LONGEST)
    cdef int axis = -1 if x is None else sorted_axis(x, args, n, names)
    if axis < 0:
        return NotImplemented
    made = copied(args, 1, None, True)
    if made is not NotImplemented:
        cnp.PyArray_Sort(show(<LazyArray>made), axis, cnp.NPY_QUICKSORT)
    return made


cdef object _method_sort(PyObject** args, Py_ssize_t n, object names, int variant):
    """x.sort(axis) of a writeable array."""
    cdef LazyArray x = sortable(args, n, LONGEST)
    cdef int axis = -1 if x is None else sorted_axis(x, args, n, names)
    if axis < 0 or not x.writeable or x._warns_on_write or hides(x.node) or not own_storage(x):
        return NotImplemented
    note_write(x)
    cnp.PyArray_Sort(show(x), axis, cnp.NPY_QUICKSORT)
    return None


cdef object _argsort(PyObject** args, Py_ssize_t n, object names, int variant):
    """argsort(x, axis); one thread sorts a whole line, so that equal values keep NumPy's order."""
    cdef LazyArray x = sortable(args, n, LARGE)
    cdef int axis = -1 if x is None else sorted_axis(x, args, n, names)
    if axis < 0:
        return NotImplemented
    return take_over(cnp.PyArray_ArgSort(show(x), axis, cnp.NPY_QUICKSORT))


cdef object _diff(PyObject** args, Py_ssize_t n, object names, int variant):
    """diff(x) along the last axis, as a difference of two slices, computed eagerly or in the graph."""
    cdef LazyArray x
    cdef npy_intp shape[MAX_DIMS]
    cdef Node node
    cdef int last
    if n != 1 or names is not None or type(<object>args[0]) is not LazyArray:
        return NotImplemented
    x = <LazyArray>args[0]
    node = x.node
    last = node.ndim - 1
    if x.scalar or x.mask is not None or last < 0 or node.shape[last] == 0 or node.typenum < cnp.NPY_BYTE:
        return NotImplemented
    memcpy(shape, node.shape, node.ndim * sizeof(npy_intp))
    shape[last] -= 1
    after = window_view(x, node.ndim, shape, node.strides, node.offset + node.strides[last], False)
    before = window_view(x, node.ndim, shape, node.strides, node.offset, False)
    return binary(_subtract, after, before, True)


add_native("where", _where)
add_native("clip ndarray.clip", _clip)
add_native("sort", _sort)
add_native("ndarray.sort", _method_sort)
add_native("argsort ndarray.argsort", _argsort)
add_native("take ndarray.take", _take)
add_native("diff", _diff)
