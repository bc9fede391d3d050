"""Eager concatenation, insertion, deletion and rolling.

Parts are copied slice by slice along one axis of the result. Operands with several axes must have non-increasing
strides: NumPy lays out the result in C order then.
"""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, MAX_DIMS, LazyArray, Node, Operand, PyObject, add_native, as_line, axis_argument, axis_number, bind,
    copy_elements, first_of, is_ready, memcpy, memset, new_base, new_leaf, npy_intp, read_element, read_integer,
    ready_array)
from lazyarr._core.frontend.eager_loop cimport copy_flat, copy_slices, goes_by_rows
from lazyarr._core.frontend.eager_product cimport reshaped_result
from lazyarr._core.frontend.elements cimport lz_count_contiguous, lz_find_outside, lz_interleave, lz_pack
from lazyarr._core.frontend.index cimport Window, add_axis

cdef enum Joining:
    CONCATENATE, STACK, VSTACK, HSTACK, DSTACK, COLUMN_STACK

cdef enum:
    MOST_AXES = 8   # most axes of an operand; the result may have two more


# ---- joining -------------------------------------------------------------------------------------------


cdef void read_part(Node x, int kind, int axis, Window* part) noexcept:
    """Read an operand with the axes that the function adds to it."""
    cdef int d, added = -1
    if kind == STACK:
        added = axis
    elif x.ndim == 1 and (kind == VSTACK or kind == DSTACK):
        added = 0
    part.ndim = 0
    for d in range(x.ndim):
        if d == added:
            add_axis(part, 1, 0)
        add_axis(part, x.shape[d], x.strides[d])
    if added == x.ndim or kind == DSTACK and x.ndim <= 2 or kind == COLUMN_STACK and x.ndim == 1:
        add_axis(part, 1, 0)


cdef int common_code(int a, int b) noexcept:
    """Return the type number of the common dtype of two arrays; -1 where NumPy must decide."""
    if a == b:
        return a
    if (a == cnp.NPY_BOOL or a == cnp.NPY_LONG or a == cnp.NPY_DOUBLE) \
            and (b == cnp.NPY_BOOL or b == cnp.NPY_LONG or b == cnp.NPY_DOUBLE):
        return max(a, b)
    return -1


cdef object joined(tuple parts, int kind, int axis):
    """Join arrays along an axis of the result; return NotImplemented if NumPy has to."""
    cdef LazyArray x
    cdef Window part, whole
    cdef npy_intp size = 1
    cdef int d, code = -1
    cdef char* at
    cdef Node made
    for item in parts:
        if type(item) is not LazyArray:
            return NotImplemented
        x = <LazyArray>item
        if not is_ready(x) or x.scalar or not 1 <= x.node.ndim <= MOST_AXES or not goes_by_rows(x.node):
            return NotImplemented
        if code < 0:
            read_part(x.node, kind, axis, &whole)
            code = x.node.typenum
            if axis >= whole.ndim:
                return NotImplemented
            continue
        read_part(x.node, kind, axis, &part)
        code = common_code(code, x.node.typenum)
        if code < 0 or part.ndim != whole.ndim:
            return NotImplemented
        for d in range(part.ndim):
            if d != axis and part.shape[d] != whole.shape[d]:
                return NotImplemented
        whole.shape[axis] += part.shape[axis]
    for d in range(whole.ndim):
        size *= whole.shape[d]
    if size > LARGE:
        return NotImplemented
    made = new_leaf(whole.ndim, whole.shape, code)
    at = made.data
    if len(parts) == 2 and axis == whole.ndim - 1 and whole.shape[axis] == 2 and are_lines(parts, code, size // 2):
        lz_interleave(at, first_of(<LazyArray>parts[0]), first_of(<LazyArray>parts[1]), size // 2)
        return new_base(made)
    for item in parts:
        x = <LazyArray>item
        if axis == 0:
            copy_flat(at, code, x.node, first_of(x))
            at += x.node.size * made.itemsize
        else:
            read_part(x.node, kind, axis, &part)
            copy_elements(part.ndim, part.shape, at, made.strides, code, first_of(x), part.strides, x.node.typenum)
            at += part.shape[axis] * made.strides[axis]
    return new_base(made)


cdef bint are_lines(tuple parts, int code, npy_intp size):
    """Return whether each part has `size` contiguous elements of this 8-byte dtype."""
    cdef Node node
    for item in parts:
        node = (<LazyArray>item).node
        if node.size != size or node.typenum != code or node.itemsize != 8 or not node.contiguous:
            return False
    return True


cdef object _join(PyObject** args, Py_ssize_t n, object names, int kind):
    """Join the arrays in a list or tuple; `concatenate` and `stack` take an axis."""
    cdef tuple parts
    cdef Node first
    cdef int axis
    if n < 1:
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
    if n == 1 and names is None:
        axis = first.ndim > 1 if kind == HSTACK else 2 if kind == DSTACK else kind == COLUMN_STACK
    elif kind == CONCATENATE or kind == STACK:
        axis = axis_number(axis_argument(args, n, names), first.ndim + (kind == STACK))
        if axis < 0:
            return NotImplemented
    else:
        return NotImplemented
    return joined(parts, kind, axis)


cdef object _append(PyObject** args, Py_ssize_t n, object names, int variant):
    """append(x, values) of an array or a number, append(x, y, axis) of two arrays."""
    cdef LazyArray x = ready_array(args, n, LARGE), more = None
    cdef PyObject* given[3]
    cdef npy_intp size = 1, one = 1
    cdef Operand op
    cdef Node made
    cdef int axis, code
    if x is None or not bind(args, n, names, ("arr", "values", "axis"), 2, given):
        return NotImplemented
    values = <object>given[1]
    if given[2] is not NULL and <object>given[2] is not None:
        axis = axis_number(<object>given[2], x.node.ndim)
        return NotImplemented if axis < 0 else joined((x, values), CONCATENATE, axis)
    if type(values) is LazyArray:
        more = <LazyArray>values
        if not is_ready(more) or more.scalar or more.node.ndim == 0:
            return NotImplemented
        code, size = more.node.typenum, more.node.size
    else:
        if not read_element(values, &op):
            return NotImplemented
        code = op.code
    code = common_code(x.node.typenum, code)
    size += x.node.size
    if code < 0 or size > LARGE:
        return NotImplemented
    made = new_leaf(1, &size, code)
    copy_flat(made.data, code, x.node, first_of(x))
    if more is None:
        copy_elements(1, &one, made.data + x.node.size * made.itemsize, made.strides, code, op.data, made.strides,
                      op.code)
    else:
        copy_flat(made.data + x.node.size * made.itemsize, code, more.node, first_of(more))
    return new_base(made)


# ---- insert, delete, roll ------------------------------------------------------------------------------


cdef Node lined(LazyArray x, object axis, int* along):
    """Return the array that a call works on, flattened without an axis argument; None if NumPy has to."""
    if axis is None:
        along[0] = 0
        return as_line(x.node)
    along[0] = axis_number(axis, x.node.ndim)
    return x.node if along[0] >= 0 and goes_by_rows(x.node) else None


cdef Node resized_leaf(Node like, int axis, npy_intp extent):
    """Return a leaf like another, with a different length along one axis."""
    cdef npy_intp shape[MAX_DIMS]
    memcpy(shape, like.shape, like.ndim * sizeof(npy_intp))
    shape[axis] = extent
    return new_leaf(like.ndim, shape, like.typenum)


cdef object _insert(PyObject** args, Py_ssize_t n, object names, int variant):
    """insert(x, i, value, axis) of a number, or of a 1-d array: into a line, or as a row or column."""
    cdef LazyArray x = ready_array(args, n, LARGE), more = None
    cdef PyObject* given[4]
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp steps[MAX_DIMS]
    cdef npy_intp place, count, added = 1
    cdef Operand op
    cdef Node line, made
    cdef int axis, d
    if x is None or not bind(args, n, names, ("arr", "obj", "values", "axis"), 3, given):
        return NotImplemented
    line = lined(x, <object>given[3] if given[3] is not NULL else None, &axis)
    if line is None:
        return NotImplemented
    count = line.shape[axis]
    if not read_integer(given[1], -count, count, &place):
        return NotImplemented
    place += count if place < 0 else 0
    value = <object>given[2]
    if type(value) is LazyArray:
        more = <LazyArray>value
        if not is_ready(more) or more.node.ndim != 1 or more.node.typenum != line.typenum or more.node.size > LARGE:
            return NotImplemented
        if line.ndim == 1:
            added = more.node.size
        elif line.ndim > 2 or more.node.size != line.shape[1 - axis]:
            return NotImplemented
        op.data = first_of(more)
    elif not read_element(value, &op, line.typenum):
        return NotImplemented
    made = resized_leaf(line, axis, count + added)
    copy_slices(made, 0, line, first_of(x), 0, place, axis)
    copy_slices(made, place + added, line, first_of(x), place, count - place, axis)
    for d in range(line.ndim):
        shape[d], steps[d] = line.shape[d], 0 if more is None or line.ndim > 1 and d == axis else more.node.strides[0]
    shape[axis] = added
    copy_elements(line.ndim, shape, made.data + place * made.strides[axis], made.strides, made.typenum, op.data, steps,
                  made.typenum)
    return new_base(made)


cdef object _delete(PyObject** args, Py_ssize_t n, object names, int variant):
    """delete(x, i, axis) at an integer; at several, or under a mask, along the first axis."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef PyObject* given[3]
    cdef npy_intp place, count
    cdef Node line, made
    cdef int axis
    if x is None or not bind(args, n, names, ("arr", "obj", "axis"), 2, given):
        return NotImplemented
    line = lined(x, <object>given[2] if given[2] is not NULL else None, &axis)
    if line is None:
        return NotImplemented
    count = line.shape[axis]
    where = <object>given[1]
    if type(where) is list and len(<list>where) == 1:
        where = (<list>where)[0]
    if type(where) is not int:
        return kept(line, first_of(x), axis, where)
    if not -count <= where < count:
        return NotImplemented
    place = where
    place += count if place < 0 else 0
    made = resized_leaf(line, axis, count - 1)
    copy_slices(made, 0, line, first_of(x), 0, place, axis)
    copy_slices(made, place, line, first_of(x), place + 1, count - place - 1, axis)
    return new_base(made)


cdef object kept(Node line, char* data, int axis, object where):
    """Return the slices of the first axis that are not at these indices or under this mask."""
    cdef npy_intp count = line.shape[axis], i, place
    cdef Node mask, places, made
    cdef char* keep
    cdef char* at
    if axis or not line.contiguous or line.ndim > 2:  # NumPy may use another layout for more axes
        return NotImplemented
    mask = new_leaf(1, &count, cnp.NPY_BOOL)
    keep = mask.data
    memset(keep, 1, count)
    if type(where) is list and where:
        for item in <list>where:
            if type(item) is not int or not -count <= item < count:
                return NotImplemented
            place = item
            keep[place + count if place < 0 else place] = 0
    elif type(where) is LazyArray:
        if not is_ready(<LazyArray>where):
            return NotImplemented
        places = (<LazyArray>where).node
        at = first_of(<LazyArray>where)
        if places.ndim != 1:
            return NotImplemented
        if places.typenum == cnp.NPY_BOOL and places.size == count:
            for i in range(count):
                keep[i] = not at[i * places.strides[0]]
        elif places.typenum == cnp.NPY_INTP and lz_find_outside(
                at, places.strides[0], places.size, count) < 0:
            for i in range(places.size):
                place = (<npy_intp*>(at + i * places.strides[0]))[0]
                keep[place + count if place < 0 else place] = 0
        else:
            return NotImplemented
    else:
        return NotImplemented
    left = lz_count_contiguous(keep, count)
    made = resized_leaf(line, 0, left)
    lz_pack(made.data, data, keep, count, line.size // count * line.itemsize, left)
    return new_base(made)


cdef object _roll(PyObject** args, Py_ssize_t n, object names, int variant):
    """roll(x, shift) of the flattened array, or along an axis."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef npy_intp shift, count
    cdef Node line, made
    cdef int along
    if x is None or n < 2 or type(<object>args[1]) is not int:
        return NotImplemented
    axis = axis_argument(args + 1, n - 1, names)
    line = lined(x, axis, &along)
    if line is None:
        return NotImplemented
    count = line.shape[along]
    shift = <object>args[1] % count
    made = new_leaf(line.ndim, line.shape, line.typenum)
    copy_slices(made, shift, line, first_of(x), 0, count - shift, along)
    copy_slices(made, 0, line, first_of(x), count - shift, shift, along)
    # without an axis, NumPy rolls the flattened array and reshapes it
    return reshaped_result(made, x.node.ndim, x.node.shape) if axis is None else new_base(made)


add_native("concatenate", _join, CONCATENATE)
add_native("stack", _join, STACK)
add_native("vstack", _join, VSTACK)
add_native("hstack", _join, HSTACK)
add_native("dstack", _join, DSTACK)
add_native("column_stack", _join, COLUMN_STACK)
add_native("append", _append)
add_native("insert", _insert)
add_native("delete", _delete)
add_native("roll", _roll)
