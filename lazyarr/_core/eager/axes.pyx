"""Eager functions and methods that return views with added, broadcast, moved, reversed, split or removed axes."""
cimport numpy as cnp

from lazyarr._core.eager.creation cimport array_of_one
from lazyarr._core.eager.forms cimport (
    MAX_DIMS, LazyArray, add_native, axis_number, bind, memcpy, read_integer, window_view)
from lazyarr._core.eager.view cimport turned, uint64_t, viewed
from lazyarr._core.frontend.reshape cimport matched
from lazyarr._core.ir.builder cimport broadcast_into

# ---- added and broadcast axes -------------------------------------------------------------------------


cdef object _at_least(PyObject** args, Py_ssize_t n, object names, int axes):
    """Return arrays with at least `axes` axes, as a tuple if there are several."""
    cdef Py_ssize_t i
    cdef LazyArray x
    cdef npy_intp shape[3]
    cdef npy_intp strides[3]
    cdef list made = []
    cdef int own
    if n < 1:
        return NotImplemented
    for i in range(n):
        x = viewed(args + i, 1, names, 1, 1)
        if x is None or x.node.ndim == 0:
            return NotImplemented
        if x.node.ndim >= axes:
            made.append(x)
            continue
        shape[0] = shape[1] = shape[2] = 1
        strides[0] = strides[1] = strides[2] = 0
        own = x.node.ndim == 1  # NumPy adds an axis before a line, and one after a line or a matrix
        memcpy(shape + own, x.node.shape, x.node.ndim * sizeof(npy_intp))
        memcpy(strides + own, x.node.strides, x.node.ndim * sizeof(npy_intp))
        made.append(window_view(x, axes, shape, strides, x.node.offset, True))
    return made[0] if n == 1 else tuple(made)


cdef object _ix_(PyObject** args, Py_ssize_t n, object names, int variant):
    """ix_ of 1-d index arrays: each along its own axis."""
    cdef Py_ssize_t i
    cdef LazyArray x
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef list made = []
    cdef int d
    if n > MAX_DIMS:
        return NotImplemented
    for d in range(n):
        shape[d] = 1
    for i in range(n):
        x = viewed(args + i, 1, names, 1, 1)
        if x is None or x.node.ndim != 1 or x.node.size == 0 or x.node.typenum < cnp.NPY_BYTE:  # bools become indices
            return NotImplemented
        shape[i] = x.node.size
        if not matched(1, x.node.shape, x.node.strides, <int>n, shape, strides, x.node.itemsize):
            return NotImplemented
        made.append(window_view(x, <int>n, shape, strides, x.node.offset, True))
        shape[i] = 1
    return tuple(made)


cdef object _broadcast_arrays(PyObject** args, Py_ssize_t n, object names, int variant):
    """Return views of arrays and numbers with one shape; arrays that have it unchanged."""
    cdef npy_intp shape[MAX_DIMS]
    cdef Py_ssize_t i
    cdef LazyArray x
    cdef list arrays = [], made = []
    cdef int ndim = 0
    if n < 1 or names is not None:
        return NotImplemented
    for i in range(n):
        x = viewed(args + i, 1, None, 1, 1)
        if x is None:
            x = array_of_one(0, NULL, <object>args[i])
        if x is None or not broadcast_into(x.node, &ndim, shape):
            return NotImplemented
        arrays.append(x)
    for x in arrays:
        x = spread(x, ndim, shape)
        if x is None:
            return NotImplemented
        made.append(x)
    return tuple(made)


cdef LazyArray spread(LazyArray x, int ndim, npy_intp* shape):
    """Return x broadcast to a shape, or x; None if NumPy refuses to make the view writeable.

    NumPy warns of the first write to such a view.
    """
    cdef npy_intp strides[MAX_DIMS]
    cdef LazyArray view
    cdef Node node = x.node
    cdef int lead = ndim - node.ndim, d
    cdef bint same = lead == 0
    for d in range(ndim):
        strides[d] = 0 if d < lead or node.shape[d - lead] == 1 else node.strides[d - lead]
        same = same and node.shape[d] == shape[d]
    if same:
        return x
    if x.writeable and x.root is not None and not x.root.writeable and not x._stands_alone:
        return None
    view = window_view(x, ndim, shape, strides, node.offset, True)
    view._warns_on_write = view._warns_on_write or x.writeable
    return view


# ---- moved and reversed axes --------------------------------------------------------------------------


cdef object moved_axis(LazyArray x, int source, int target):
    """Return a view with one axis moved."""
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef Node node = x.node
    cdef int d, k
    for d in range(node.ndim):
        k = d
        if d == target:
            k = source
        elif source < target and source <= d < target:
            k = d + 1
        elif target < d <= source:
            k = d - 1
        shape[d], strides[d] = node.shape[k], node.strides[k]
    return window_view(x, node.ndim, shape, strides, node.offset, True)


cdef object _moveaxis(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = viewed(args, n, names, 3, 3)
    cdef int source, target
    if x is None:
        return NotImplemented
    source, target = axis_number(<object>args[1], x.node.ndim), axis_number(<object>args[2], x.node.ndim)
    return NotImplemented if source < 0 or target < 0 else moved_axis(x, source, target)


cdef object _rollaxis(PyObject** args, Py_ssize_t n, object names, int variant):
    """rollaxis(x, axis, start): move the axis before the one at `start`."""
    cdef LazyArray x = viewed(args, n, names, 2, 3)
    cdef int source, target = 0
    cdef npy_intp start
    if x is None:
        return NotImplemented
    source = axis_number(<object>args[1], x.node.ndim)
    if n == 3:
        if not read_integer(args[2], -x.node.ndim, x.node.ndim, &start):
            return NotImplemented
        target = <int>(start + x.node.ndim if start < 0 else start)
    return NotImplemented if source < 0 else moved_axis(x, source, target - (source < target))


cdef object _rot90(PyObject** args, Py_ssize_t n, object names, int variant):
    """rot90(x), rot90(x, k) in the first two axes."""
    cdef LazyArray x = viewed(args, n, names, 1, 2)
    cdef int turns = 1
    if x is None or x.node.ndim < 2 or x.node.size == 0 or n == 2 and type(<object>args[1]) is not int:
        return NotImplemented
    if n == 2:
        turns = <object>args[1] % 4
    return turned(x, 0, turns & 1, turns ^ turns >> 1)  # reverse one axis, both, or the other


cdef object _flip_axis(PyObject** args, Py_ssize_t n, object names, int axis):
    """flipud(x), fliplr(x): reverse the first or the second axis."""
    cdef LazyArray x = viewed(args, n, names, 1, 1)
    if x is None or x.node.ndim <= axis or x.node.size == 0:
        return NotImplemented
    return turned(x, 0, 0, <uint64_t>1 << axis)


# ---- parts ---------------------------------------------------------------------------------------------


cdef enum Splitting:  # split functions; a split makes equal parts along any axis
    SPLIT, ARRAY_SPLIT, HSPLIT, VSPLIT, DSPLIT


cdef object _split(PyObject** args, Py_ssize_t n, object names, int which):
    """Return views of the parts of an axis, given their number or the indices between them."""
    cdef LazyArray x = viewed(args, 1, None, 1, 1)
    cdef PyObject* given[3]
    cdef npy_intp extent, count, k, length, first = 0
    cdef list made
    cdef int axis = 0
    if x is None or not bind(args, n, names, ("ary", "indices_or_sections", "axis"), 2, given):
        return NotImplemented
    if which >= HSPLIT:  # they need enough axes, and take no axis
        axis = x.node.ndim > 1 if which == HSPLIT else 2 if which == DSPLIT else 0
        if n != 2 or names is not None or x.node.ndim < which - HSPLIT + 1:
            return NotImplemented
    elif given[2] is not NULL:
        axis = axis_number(<object>given[2], x.node.ndim)
    if not 0 <= axis < x.node.ndim:
        return NotImplemented
    extent = x.node.shape[axis]
    if type(<object>given[1]) is list or type(<object>given[1]) is tuple:
        return between(x, axis, <object>given[1])
    if not read_integer(given[1], 1, FAR, &count) or which != ARRAY_SPLIT and extent % count:
        return NotImplemented
    made = []
    for k in range(count):
        length = extent // count + (k < extent % count)
        made.append(slices(x, axis, first, length))
        first += length
    return made


cdef object between(LazyArray x, int axis, object places):
    """Return views of the parts of an axis between indices, which are clipped as in slices."""
    cdef npy_intp extent = x.node.shape[axis], first = 0, last
    cdef list made = []
    for item in places:
        if type(item) is not int or not -FAR < item < FAR:
            return NotImplemented
        last = item
        last = min(last + extent if last < 0 else last, extent)
        last = max(last, 0)
        made.append(slices(x, axis, first, max(last - first, 0)))
        first = last
    made.append(slices(x, axis, first, extent - first))
    return made


cdef LazyArray slices(LazyArray x, int axis, npy_intp first, npy_intp length):
    cdef npy_intp shape[MAX_DIMS]
    memcpy(shape, x.node.shape, x.node.ndim * sizeof(npy_intp))
    shape[axis] = length
    return window_view(x, x.node.ndim, shape, x.node.strides, x.node.offset + first * x.node.strides[axis], True)


# ---- diagonals -----------------------------------------------------------------------------------------


cdef npy_intp diagonal_of(Node node, npy_intp place, npy_intp* start) noexcept:
    """Return the length of the diagonal of the first two axes (ndim >= 2); `start` is set to its byte offset."""
    cdef npy_intp rows = node.shape[0], columns = node.shape[1]
    start[0] = place * node.strides[1] if place > 0 else -place * node.strides[0]
    return max(min(rows + min(place, 0), columns - max(place, 0)), 0)


cdef object diagonal_view(PyObject** args, npy_intp place):
    """Return the read-only diagonal of the first two axes, as the last axis; NotImplemented if it is empty."""
    cdef LazyArray x = viewed(args, 1, None, 1, 1)
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp start
    cdef Node node
    cdef int rest
    if x is None or x.node.ndim < 2:
        return NotImplemented
    node, rest = x.node, x.node.ndim - 2
    memcpy(shape, node.shape + 2, rest * sizeof(npy_intp))
    memcpy(strides, node.strides + 2, rest * sizeof(npy_intp))
    shape[rest], strides[rest] = diagonal_of(node, place, &start), node.strides[0] + node.strides[1]
    if shape[rest] == 0:
        return NotImplemented
    return window_view(x, rest + 1, shape, strides, node.offset + start, False)


cdef object _diagonal(PyObject** args, Py_ssize_t n, object names, int variant):
    """diagonal(x, offset), read-only."""
    cdef PyObject* given[2]
    cdef npy_intp place = 0
    if not bind(args, n, names, ("a", "offset"), 1, given) or not read_integer(given[1], -FAR, FAR, &place):
        return NotImplemented
    return diagonal_view(given, place)


add_native("atleast_1d", _at_least, 1)
add_native("atleast_2d", _at_least, 2)
add_native("atleast_3d", _at_least, 3)
add_native("ix_", _ix_)
add_native("broadcast_arrays", _broadcast_arrays)
add_native("moveaxis", _moveaxis)
add_native("rollaxis", _rollaxis)
add_native("rot90", _rot90)
add_native("fliplr", _flip_axis, 1)
add_native("flipud", _flip_axis, 0)
add_native("split", _split, SPLIT)
add_native("array_split", _split, ARRAY_SPLIT)
add_native("hsplit", _split, HSPLIT)
add_native("vsplit", _split, VSPLIT)
add_native("dsplit", _split, DSPLIT)
add_native("diagonal ndarray.diagonal", _diagonal)
