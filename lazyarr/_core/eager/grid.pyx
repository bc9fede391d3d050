"""Eager grids of indices and coordinates, identities, and nonzero elements."""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, LazyArray, Node, PyObject, add_native, as_line, copy_elements, first_of, is_enabled, memcpy, memset,
    new_base, new_leaf, new_view, npy_intp, read_integer, read_shape, ready_array, window_view)
from lazyarr._core.frontend.elements cimport lz_count_contiguous

cdef enum:
    MOST_AXES = 8
    WIDEST_EYE = 512  # most rows of an eager identity matrix
    FAR = 1 << 30     # coordinates beyond this are left to NumPy

ctypedef fused Element:
    unsigned char
    long
    float
    double


# ---- grids ---------------------------------------------------------------------------------------------


cdef object _eye(PyObject** args, Py_ssize_t n, object names, int variant):
    """eye(n), identity(n)."""
    cdef npy_intp shape[2]
    cdef npy_intp i
    cdef Node made
    if n != 1 or names is not None or not read_integer(args[0], 1, WIDEST_EYE, shape):
        return NotImplemented
    shape[1] = shape[0]
    made = new_leaf(2, shape, cnp.NPY_DOUBLE)
    memset(made.data, 0, made.span)
    for i in range(shape[0]):
        (<double*>made.data)[i * (shape[0] + 1)] = 1
    return new_base(made)


cdef object _meshgrid(PyObject** args, Py_ssize_t n, object names, int variant):
    """meshgrid of 1-d arrays, with sparse= and indexing=."""
    cdef npy_intp shape[MOST_AXES]
    cdef npy_intp own[MOST_AXES]
    cdef npy_intp strides[MOST_AXES]
    cdef npy_intp size = 1
    cdef bint sparse = False, swaps = n > 1
    cdef Py_ssize_t i
    cdef LazyArray x
    cdef list grids = []
    cdef Node made
    cdef int d, axis
    if not 1 <= n <= MOST_AXES:
        return NotImplemented
    if names is not None:
        for i in range(len(<tuple>names)):
            name, value = (<tuple>names)[i], <object>args[n + i]
            if name == "sparse" and type(value) is bool:
                sparse = value
            elif name == "indexing" and type(value) is str and (value == "xy" or value == "ij"):
                swaps = swaps and value == "xy"
            else:
                return NotImplemented
    for i in range(n):
        x = ready_array(args + i, 1, LARGE)
        if x is None or x.node.ndim != 1:
            return NotImplemented
        axis = <int>(1 - i if swaps and i < 2 else i)
        shape[axis] = x.node.size
        size *= x.node.size
        if size > LARGE and not sparse:
            return NotImplemented
    for i in range(n):
        x = <LazyArray>args[i]
        axis = <int>(1 - i if swaps and i < 2 else i)
        for d in range(n):
            strides[d] = x.node.strides[0] if d == axis else 0
            own[d] = 1 if sparse and d != axis else shape[d]
        made = new_leaf(<int>n, own, x.node.typenum)
        copy_elements(<int>n, own, made.data, made.strides, made.typenum, first_of(x), strides, made.typenum)
        grids.append(new_base(made))
    return tuple(grids)


cdef Node coordinates(int ndim, npy_intp* shape, npy_intp* start, npy_intp* step):
    """Return the coordinates of each grid point; the axis of coordinates comes first.

    Without `start` and `step` coordinates are indices.
    """
    cdef npy_intp extents[MOST_AXES + 1]
    cdef npy_intp outer = 1, inner = 1, block, j, k
    cdef Node made
    cdef long* to
    cdef int d
    extents[0] = ndim
    for d in range(ndim):
        extents[d + 1] = shape[d]
        inner *= shape[d]
    made = new_leaf(ndim + 1, extents, cnp.NPY_LONG)
    to = <long*>made.data
    if inner == 0:
        return made
    for d in range(ndim):
        block = inner
        inner //= shape[d]
        for j in range(shape[d]):
            for k in range(inner):
                to[j * inner + k] = j if step is NULL else j * step[d] + start[d]
        for k in range(1, outer):
            memcpy(to + k * block, to, block * sizeof(long))
        to += outer * block
        outer *= shape[d]
    return made


cdef object _indices(PyObject** args, Py_ssize_t n, object names, int variant):
    """indices(shape)."""
    cdef npy_intp shape[MOST_AXES]
    cdef int ndim
    if n != 1 or names is not None or type(<object>args[0]) is not tuple:
        return NotImplemented
    ndim = read_shape(<object>args[0], shape, LARGE)
    return NotImplemented if ndim < 1 else new_base(coordinates(ndim, shape, NULL, NULL))


cdef int read_slices(object key, npy_intp* shape, npy_intp* start, npy_intp* step) except -2:
    """Read a grid's axes from a tuple of slices of plain integers; return the ndim, -1 for any other key."""
    cdef int d
    cdef npy_intp size = 1
    if type(key) is not tuple or not 1 <= len(<tuple>key) <= MOST_AXES or not is_enabled():
        return -1
    for d, item in enumerate(<tuple>key):
        if type(item) is not slice:
            return -1
        first, last, stride = item.start, item.stop, item.step
        first = 0 if first is None else first
        stride = 1 if stride is None else stride
        if type(first) is not int or type(last) is not int or type(stride) is not int or not 0 < stride < FAR \
                or not -FAR < first < last < FAR:
            return -1
        start[d], step[d], shape[d] = first, stride, (last - first + stride - 1) // stride
        size *= shape[d]
        if size > LARGE:
            return -1
    return len(<tuple>key)


def dense_grid(key):
    """Return `mgrid[key]` for slices of integers; NotImplemented for other keys."""
    cdef npy_intp shape[MOST_AXES]
    cdef npy_intp start[MOST_AXES]
    cdef npy_intp step[MOST_AXES]
    cdef int ndim = read_slices(key, shape, start, step)
    return NotImplemented if ndim < 0 else new_base(coordinates(ndim, shape, start, step))


def open_grid(key):
    """Return `ogrid[key]` for slices of integers; NotImplemented for other keys."""
    cdef npy_intp shape[MOST_AXES]
    cdef npy_intp start[MOST_AXES]
    cdef npy_intp step[MOST_AXES]
    cdef npy_intp own[MOST_AXES]
    cdef npy_intp strides[MOST_AXES]
    cdef int d, k, ndim = read_slices(key, shape, start, step)
    cdef list grids = []
    cdef npy_intp i
    cdef Node made
    if ndim < 0:
        return NotImplemented
    for d in range(ndim):
        made = new_leaf(1, shape + d, cnp.NPY_LONG)
        for i in range(shape[d]):
            (<long*>made.data)[i] = i * step[d] + start[d]
        for k in range(ndim):
            own[k], strides[k] = shape[d] if k == d else 1, made.itemsize if k == d else 0
        grids.append(window_view(new_base(made), ndim, own, strides, 0, True))
    return tuple(grids)


# ---- nonzero elements --------------------------------------------------------------------------------


cdef npy_intp find_true(Element* data, npy_intp count, Node node, Node made, npy_intp pitch, npy_intp step) noexcept:
    """Write the coordinates of the `count` nonzero elements; without a leaf, count them.

    `data` has the elements of an array like `node` in C order. Coordinates of one element are `step` integers apart,
    those of consecutive elements `pitch`.
    """
    cdef npy_intp places[MOST_AXES]
    cdef npy_intp found = 0, row, i, last
    cdef npy_intp* to
    cdef int d, ndim = node.ndim
    if made is None:
        for i in range(node.size):
            found += data[i] != 0
        return found
    to = <npy_intp*>made.data
    if ndim == 1:
        i = 0
        while found + 4 <= count:  # at least four elements remain, so i + 3 is in range
            for d in range(4):
                to[found] = i + d
                found += data[i + d] != 0
            i += 4
        while found < count:
            to[found] = i
            found += data[i] != 0
            i += 1
        return found
    for d in range(ndim):
        places[d] = 0
    last = node.shape[ndim - 1]
    for row in range(node.size // last):
        for i in range(last):
            if found < count:  # also written for zeros: the next one overwrites it
                for d in range(ndim - 1):
                    to[found * pitch + d * step] = places[d]
                to[found * pitch + (ndim - 1) * step] = i
            found += data[row * last + i] != 0
        for d in range(ndim - 2, -1, -1):
            places[d] += 1
            if places[d] < node.shape[d]:
                break
            places[d] = 0
    return found


cdef npy_intp find(char* data, npy_intp count, Node node, Node made, npy_intp pitch, npy_intp step) noexcept:
    """The same for any dtype of `Element`; return -1 for other dtypes."""
    if node.typenum == cnp.NPY_BOOL:
        if made is None:
            return lz_count_contiguous(data, node.size)
        return find_true(<unsigned char*>data, count, node, made, pitch, step)
    if node.typenum == cnp.NPY_LONG:
        return find_true(<long*>data, count, node, made, pitch, step)
    if node.typenum == cnp.NPY_DOUBLE:
        return find_true(<double*>data, count, node, made, pitch, step)
    if node.typenum == cnp.NPY_FLOAT:
        return find_true(<float*>data, count, node, made, pitch, step)
    return -1


cdef LazyArray searched(PyObject** args, Py_ssize_t n, object names):
    """Return the array of a call whose elements can be searched; None for other calls."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    return None if x is None or n != 1 or names is not None or not x.node.contiguous or x.node.ndim > MOST_AXES else x


cdef object _nonzero(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = searched(args, n, names), whole
    cdef npy_intp shape[2]
    cdef npy_intp step
    cdef list found = []
    cdef Node made
    cdef int d
    if x is None:
        return NotImplemented
    shape[0], shape[1] = find(first_of(x), 0, x.node, None, 0, 0), x.node.ndim
    if shape[0] < 0:
        return NotImplemented
    made = new_leaf(2, shape, cnp.NPY_INTP)
    find(first_of(x), shape[0], x.node, made, shape[1], 1)
    whole, step = new_base(made), made.itemsize * x.node.ndim
    for d in range(x.node.ndim):  # NumPy returns views of the columns, too
        found.append(window_view(whole, 1, shape, &step, d * made.itemsize, True))
    return tuple(found)


cdef object _flatnonzero(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = searched(args, n, names)
    cdef npy_intp count
    cdef Node line, made
    if x is None:
        return NotImplemented
    line = as_line(x.node)
    count = find(first_of(x), 0, line, None, 0, 0)
    if count < 0:
        return NotImplemented
    made = new_leaf(1, &count, cnp.NPY_INTP)
    find(first_of(x), count, line, made, 1, 1)
    return new_view(new_base(made), made, True)  # NumPy returns a view, too


cdef object _argwhere(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = searched(args, n, names)
    cdef npy_intp shape[2]
    cdef npy_intp strides[2]
    cdef npy_intp count
    cdef Node made
    if x is None:
        return NotImplemented
    count = find(first_of(x), 0, x.node, None, 0, 0)
    if count < 0:
        return NotImplemented
    shape[0], shape[1] = x.node.ndim, count
    made = new_leaf(2, shape, cnp.NPY_INTP)
    find(first_of(x), count, x.node, made, 1, count)
    shape[0], shape[1] = count, x.node.ndim
    strides[0], strides[1] = made.itemsize, count * made.itemsize
    # NumPy transposes an array of the coordinates
    return window_view(new_base(made), 2, shape, strides, 0, True)


add_native("eye identity", _eye)
add_native("meshgrid", _meshgrid)
add_native("indices", _indices)
add_native("nonzero ndarray.nonzero", _nonzero)
add_native("flatnonzero", _flatnonzero)
add_native("argwhere", _argwhere)
