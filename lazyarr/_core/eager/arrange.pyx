"""Eager repeating, padding and flattening; triangles and diagonals of matrices."""
from lazyarr._core.eager.axes cimport FAR, diagonal_of, diagonal_view
from lazyarr._core.eager.forms cimport (
    LARGE, MAX_DIMS, LazyArray, Loop, Node, Operand, PyObject, Ufunc, add_native, as_line, axis_number, bind,
    copy_elements, find_ufunc, first_of, lz_fp_clear, lz_fp_take, memcpy, memset, must_report, new_base, new_leaf,
    new_view, npy_intp, read_element, read_integer, ready_array, scalar_at)
from lazyarr._core.eager.reductions cimport SUM, fold_line, fold_loop
from lazyarr._core.frontend.eager_loop cimport copy_flat, goes_by_rows

import numpy as np

cdef extern from "simd/copy.h":
    void lz_repeat(char* dst, char* src, npy_intp n, npy_intp times, npy_intp size) noexcept

cdef enum:
    MOST_AXES = 8

cdef Ufunc* _multiply = find_ufunc(np.multiply)


# ---- repeating -----------------------------------------------------------------------------------------


cdef object _flatten(PyObject** args, Py_ssize_t n, object names, int variant):
    """x.flatten() in C order."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef Node made
    if x is None or n != 1 or names is not None:
        return NotImplemented
    made = new_leaf(1, &x.node.size, x.node.typenum)
    copy_flat(made.data, made.typenum, x.node, first_of(x))
    return new_base(made)


cdef object _repeat(PyObject** args, Py_ssize_t n, object names, int variant):
    """repeat(x, times, axis) of an array in C order, each element or slice as often."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef PyObject* given[3]
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp times = 1, blocks = 1
    cdef Node node, made
    cdef int d, axis = 0, ndim = 1
    if x is None or not x.node.contiguous or not bind(args, n, names, ("a", "repeats", "axis"), 2, given) \
            or not read_integer(given[1], 1, LARGE // x.node.size, &times):
        return NotImplemented
    node = x.node
    shape[0] = blocks = node.size
    if given[2] is not NULL and <object>given[2] is not None:
        axis, ndim, blocks = axis_number(<object>given[2], node.ndim), node.ndim, 1
        if axis < 0:
            return NotImplemented
        memcpy(shape, node.shape, ndim * sizeof(npy_intp))
        for d in range(axis + 1):
            blocks *= shape[d]
    shape[axis] *= times
    made = new_leaf(ndim, shape, node.typenum)
    lz_repeat(made.data, first_of(x), blocks, times, node.size // blocks * node.itemsize)
    return new_base(made)


cdef object _tile(PyObject** args, Py_ssize_t n, object names, int variant):
    """tile(x, times), for an integer or a tuple of them."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef npy_intp times[MOST_AXES]
    cdef npy_intp shape[MOST_AXES]
    cdef npy_intp between[2 * MOST_AXES]   # two per axis: across tiles, and within a tile
    cdef npy_intp strides[2 * MOST_AXES]
    cdef npy_intp extents[2 * MOST_AXES]
    cdef npy_intp size
    cdef tuple reps
    cdef Node made
    cdef int d, k, ndim, lead
    if x is None or n != 2 or names is not None or not goes_by_rows(x.node):
        return NotImplemented
    reps = <tuple><object>args[1] if type(<object>args[1]) is tuple else (<object>args[1],)
    ndim = max(x.node.ndim, <int>min(len(reps), MOST_AXES + 1))
    if ndim > MOST_AXES:
        return NotImplemented
    lead, size = ndim - x.node.ndim, x.node.size
    for d in range(ndim):
        k = d - ndim + <int>len(reps)
        item = reps[k] if k >= 0 else 1
        if type(item) is not int or not 0 < item <= LARGE:
            return NotImplemented
        times[d] = item
        size *= times[d]
        if size > LARGE:
            return NotImplemented
        shape[d] = times[d] if d < lead else times[d] * x.node.shape[d - lead]
    if size == x.node.size:
        return NotImplemented
    made = new_leaf(ndim, shape, x.node.typenum)
    for d in range(ndim):
        extents[2 * d], extents[2 * d + 1] = times[d], 1 if d < lead else x.node.shape[d - lead]
        between[2 * d], between[2 * d + 1] = made.strides[d] * extents[2 * d + 1], made.strides[d]
        strides[2 * d], strides[2 * d + 1] = 0, 0 if d < lead else x.node.strides[d - lead]
    copy_elements(2 * ndim, extents, made.data, between, made.typenum, first_of(x), strides, made.typenum)
    return new_view(new_base(made), made, True)  # NumPy returns a reshaped view


# ---- padding -------------------------------------------------------------------------------------------


cdef bint read_pair(object pair, npy_intp* before, npy_intp* behind) except -1:
    """Read two widths; return False if it is no pair of plain integers of moderate size."""
    if type(pair) is not tuple and type(pair) is not list or len(pair) != 2:
        return False
    for item in pair:
        if type(item) is not int or not 0 <= item <= LARGE:
            return False
    before[0], behind[0] = pair[0], pair[1]
    return True


cdef bint read_widths(object given, int ndim, npy_intp* before, npy_intp* behind) except -1:
    """Read pad_width: an integer, a pair, one pair in a sequence, or a pair for each axis."""
    cdef int d
    if type(given) is int:
        given = (given, given)
    elif (type(given) is tuple or type(given) is list) and len(given) == 1:
        given = given[0]
    if read_pair(given, before, behind):
        for d in range(1, ndim):
            before[d], behind[d] = before[0], behind[0]
        return True
    if type(given) is not tuple and type(given) is not list or len(given) != ndim:
        return False
    for d in range(ndim):
        if not read_pair(given[d], before + d, behind + d):
            return False
    return True


cdef object _pad(PyObject** args, Py_ssize_t n, object names, int variant):
    """pad(x, widths, mode) with a number, or with x's elements if it has enough of them."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef PyObject* given[4]
    cdef npy_intp before[MOST_AXES]
    cdef npy_intp behind[MOST_AXES]
    cdef npy_intp shape[MOST_AXES]
    cdef npy_intp size = 1
    cdef Operand op
    cdef Node node, made
    cdef char* at
    cdef int d, edge
    if x is None or n > 3 or not bind(args, n, names, ("array", "pad_width", "mode", "constant_values"), 2, given) \
            or x.node.ndim > MOST_AXES or not goes_by_rows(x.node):
        return NotImplemented
    node = x.node
    if not read_widths(<object>given[1], node.ndim, before, behind):
        return NotImplemented
    mode = "constant" if given[2] is NULL else <object>given[2]
    value = 0 if given[3] is NULL else <object>given[3]
    if mode == "constant":
        if not read_element(value, &op, node.typenum):
            return NotImplemented
    elif given[3] is not NULL or not reaches(node, mode, before, behind):
        return NotImplemented
    for d in range(node.ndim):
        shape[d] = before[d] + node.shape[d] + behind[d]
        size *= shape[d]
        if size > LARGE:
            return NotImplemented
    made = new_leaf(node.ndim, shape, node.typenum)
    at = made.data
    for d in range(node.ndim):
        at += before[d] * made.strides[d]
    copy_elements(node.ndim, node.shape, at, made.strides, made.typenum, first_of(x), node.strides, node.typenum)
    memcpy(shape, node.shape, node.ndim * sizeof(npy_intp))
    # axis by axis, including the padding along earlier axes
    for d in range(node.ndim):
        if mode == "constant":
            fill_side(made, d, shape, at, -before[d], before[d], op.data)
            fill_side(made, d, shape, at, node.shape[d], behind[d], op.data)
        elif mode == "edge":
            copy_side(made, d, shape, at, -before[d], before[d], 0, 0)
            copy_side(made, d, shape, at, node.shape[d], behind[d], node.shape[d] - 1, 0)
        elif mode == "wrap":
            copy_side(made, d, shape, at, -before[d], before[d], node.shape[d] - before[d], 1)
            copy_side(made, d, shape, at, node.shape[d], behind[d], 0, 1)
        else:
            edge = mode == "reflect"  # the edge is not repeated
            copy_side(made, d, shape, at, -before[d], before[d], before[d] - 1 + edge, -1)
            copy_side(made, d, shape, at, node.shape[d], behind[d], node.shape[d] - 1 - edge, -1)
        shape[d] = made.shape[d]
        at -= before[d] * made.strides[d]
    return new_base(made)


cdef bint reaches(Node node, object mode, npy_intp* before, npy_intp* behind) except -1:
    """Return whether a mode uses each element at most once per side of an axis."""
    cdef npy_intp most
    cdef int d
    if mode == "edge":
        return True
    if mode != "wrap" and mode != "reflect" and mode != "symmetric":
        return False
    for d in range(node.ndim):
        most = node.shape[d] - (mode == "reflect")
        if before[d] > most or behind[d] > most:
            return False
    return True


cdef int fill_side(Node made, int axis, npy_intp* shape, char* at, npy_intp first, npy_intp count,
                   char* value) except -1:
    """Set `count` slices along an axis to a number; `at` and `shape` describe the existing elements."""
    cdef npy_intp extents[MOST_AXES]
    cdef npy_intp zeros[MOST_AXES]
    memcpy(extents, shape, made.ndim * sizeof(npy_intp))
    memset(zeros, 0, made.ndim * sizeof(npy_intp))
    extents[axis] = count
    copy_elements(made.ndim, extents, at + first * made.strides[axis], made.strides, made.typenum, value, zeros,
                  made.typenum)
    return 0


cdef int copy_side(Node made, int axis, npy_intp* shape, char* at, npy_intp first, npy_intp count, npy_intp source,
                   npy_intp step) except -1:
    """Set `count` slices along an axis to copies of slices from `source` on, by `step`."""
    cdef npy_intp extents[MOST_AXES]
    cdef npy_intp strides[MOST_AXES]
    memcpy(extents, shape, made.ndim * sizeof(npy_intp))
    memcpy(strides, made.strides, made.ndim * sizeof(npy_intp))
    extents[axis] = count
    strides[axis] *= step
    copy_elements(made.ndim, extents, at + first * made.strides[axis], made.strides, made.typenum,
                  at + source * made.strides[axis], strides, made.typenum)
    return 0


# ---- matrices ------------------------------------------------------------------------------------------


cdef object _triangle(PyObject** args, Py_ssize_t n, object names, int upper):
    """tril and triu: copy one side of a diagonal, with zeros elsewhere."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef PyObject* given[2]
    cdef npy_intp rows, columns, place = 0, row, cut, r
    cdef Node node, made
    cdef char* source
    if x is None or x.node.ndim < 2 or not x.node.contiguous or not bind(args, n, names, ("m", "k"), 1, given) \
            or not read_integer(given[1], -LARGE, LARGE, &place):
        return NotImplemented
    node = x.node
    rows, columns = node.shape[node.ndim - 2], node.shape[node.ndim - 1]
    made = new_leaf(node.ndim, node.shape, node.typenum)
    source = first_of(x)
    row = columns * node.itemsize
    for r in range(node.size // columns):
        # the row's first element on or above the diagonal, or strictly above it
        cut = min(max(r % rows + place + (not upper), 0), columns) * node.itemsize
        if upper:
            memset(made.data + r * row, 0, cut)
            memcpy(made.data + r * row + cut, source + r * row + cut, row - cut)
        else:
            memcpy(made.data + r * row, source + r * row, cut)
            memset(made.data + r * row + cut, 0, row - cut)
    return new_base(made)


cdef object _diag(PyObject** args, Py_ssize_t n, object names, int variant):
    """diag(x, k): a view of a matrix's diagonal, or a matrix with a line on its diagonal."""
    cdef LazyArray x
    cdef PyObject* given[2]
    cdef npy_intp place = 0
    if not bind(args, n, names, ("v", "k"), 1, given) or not read_integer(given[1], -FAR, FAR, &place):
        return NotImplemented
    if type(<object>given[0]) is LazyArray and (<LazyArray>given[0]).node.ndim == 2:
        return diagonal_view(given, place)
    x = ready_array(given, 1, LARGE)
    return NotImplemented if x is None or x.node.ndim != 1 else with_diagonal(x.node, first_of(x), place)


cdef object _diagflat(PyObject** args, Py_ssize_t n, object names, int variant):
    """diagflat(x, k) of a line, or of an array in C order."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef PyObject* given[2]
    cdef npy_intp place = 0
    cdef Node line
    if x is None or not bind(args, n, names, ("v", "k"), 1, given) \
            or not read_integer(given[1], -LARGE, LARGE, &place):
        return NotImplemented
    line = as_line(x.node)
    return NotImplemented if line is None else with_diagonal(line, first_of(x), place)


cdef object with_diagonal(Node line, char* data, npy_intp place):
    """Return a zero matrix with a line on one of its diagonals."""
    cdef npy_intp shape[2]
    cdef npy_intp step, start
    cdef Node made
    shape[0] = shape[1] = line.size + abs(place)
    if shape[0] * shape[0] > LARGE:
        return NotImplemented
    made = new_leaf(2, shape, line.typenum)
    memset(made.data, 0, made.span)
    step = made.strides[0] + made.strides[1]
    start = place * made.itemsize if place >= 0 else -place * made.strides[0]
    copy_elements(1, line.shape, made.data + start, &step, made.typenum, data, line.strides, made.typenum)
    return new_base(made)


cdef object _trace(PyObject** args, Py_ssize_t n, object names, int variant):
    """trace(x, offset) of a matrix whose dtype sums keep."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef long double value[2]
    cdef npy_intp place = 0, start, length
    cdef Loop* loop
    if x is None or n > 2 or names is not None or x.node.ndim != 2 \
            or not read_integer(args[1] if n == 2 else NULL, -LARGE, LARGE, &place):
        return NotImplemented
    length = diagonal_of(x.node, place, &start)
    loop = fold_loop(SUM, x.node.typenum)
    if length == 0 or loop is NULL:
        return NotImplemented
    lz_fp_clear()
    fold_line(loop, SUM, <char*>value, first_of(x) + start, length, x.node.strides[0] + x.node.strides[1])
    return NotImplemented if must_report(lz_fp_take()) else scalar_at(x.node.typenum, <char*>value)


add_native("ndarray.flatten", _flatten)
add_native("repeat ndarray.repeat", _repeat)
add_native("trace ndarray.trace", _trace)
add_native("tile", _tile)
add_native("pad", _pad)
add_native("triu", _triangle, True)
add_native("tril", _triangle, False)
add_native("diag", _diag)
add_native("diagflat", _diagflat)
