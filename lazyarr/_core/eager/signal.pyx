"""Eager convolution, interpolation, binary search and counting."""
from libc.math cimport INFINITY, isnan

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, SMALL_ELEMENTS, WEAK_FLOAT, WEAK_INT, LazyArray, Loop, Node, Operand, PyObject, add_native, bind,
    copy_elements, fill_weak, first_of, lz_fp_clear, memset, new_base, new_leaf, npy_intp, number, read_flag,
    read_integer, read_operand, ready_array, scalar_at, show, small_array, take_over)
from lazyarr._core.eager.reductions cimport MAX, fold_line, fold_loop

import numpy as np

cdef extern from "numpy/arrayobject.h":
    object PyArray_Correlate2(object a, object v, int mode)

cnp.import_array()

cdef object _numpy_interp = np._core.multiarray.interp
cdef Loop* _largest = fold_loop(MAX, cnp.NPY_ULONG)
cdef dict _modes = {"valid": 0, "same": 1, "full": 2}
cdef double MOST_PRODUCTS = 1000000  # most multiplications of an eager convolution
cdef enum:
    COUNTED = 1 << 18                # most elements counted eagerly, hardly slower than reading them
    FEW_SORTED = 8                   # sorted elements for which values are compared with each, vectorised

# ---- convolution ---------------------------------------------------------------------------------------


cdef LazyArray line(PyObject* obj):
    """Return a small ready 1-d array; else None."""
    cdef LazyArray x = small_array(&obj, 1)
    return x if x is not None and x.node.ndim == 1 else None


cdef cnp.ndarray reversed_copy(LazyArray x):
    """Return a contiguous copy of a line, reversed."""
    cdef npy_intp count = x.node.size, back = -x.node.strides[0], step = x.node.itemsize
    cdef cnp.ndarray made = cnp.PyArray_EMPTY(1, &count, x.node.typenum, False)
    copy_elements(1, &count, <char*>cnp.PyArray_DATA(made), &step, x.node.typenum, first_of(x) - (count - 1) * back,
                  &back, x.node.typenum)
    return made


cdef object _correlated(PyObject** args, Py_ssize_t n, object names, int convolves):
    """convolve(a, v, mode) or correlate(a, v, mode) of two lines, by NumPy's kernels.

    A convolution correlates the longer line with the shorter one reversed, which NumPy copies in any case.
    """
    cdef PyObject* given[3]
    cdef LazyArray x, y
    cdef int mode = 2 if convolves else 0
    if not bind(args, n, names, ("a", "v", "mode"), 2, given):
        return NotImplemented
    if given[2] is not NULL:
        found = _modes.get(<object>given[2]) if type(<object>given[2]) is str else None
        if found is None:
            return NotImplemented
        mode = found
    x, y = line(given[0]), line(given[1])
    if x is None or y is None or <double>x.node.size * y.node.size > MOST_PRODUCTS:
        return NotImplemented
    if convolves:
        if y.node.size > x.node.size:
            x, y = y, x
        made = cnp.PyArray_Correlate(show(x), reversed_copy(y), mode)
    else:
        made = PyArray_Correlate2(show(x), show(y), mode)
    lz_fp_clear()
    return take_over(made)


# ---- few values in a line ------------------------------------------------------------------------------


cdef LazyArray dense_line(PyObject* obj):
    """Return a ready contiguous 1-d array of any size; else None."""
    cdef LazyArray x = ready_array(&obj, 1, INFINITY)
    return x if x is not None and x.node.ndim == 1 and x.node.contiguous else None


cdef inline bint are_few(Operand* op, npy_intp n) noexcept:
    """Return whether there are too few values for a check that the line is sorted."""
    return n > 8 * ((<Node>op.node).size if op.node is not NULL else 1) + 64


cdef object for_numpy(object obj, Operand* op):
    """Return a number or an array as passed to NumPy; None for any other object."""
    if op.node is NULL:
        return scalar_at(op.code, op.data)
    return show(<LazyArray>obj) if type(obj) is LazyArray else None


# ---- interpolation -------------------------------------------------------------------------------------

# Whether NumPy's interpolation rounds each operation or was compiled with FMA: then 1 / 2**60 remains of this product.
cdef bint _is_rounded = np.interp(1 + 2.0 ** -30, [0, 2], [-1, 1 + 2.0 ** -29]) == 2.0 ** -29


cdef bint is_increasing(double* data, npy_intp n) noexcept:
    """Return whether elements strictly increase; NaNs do not."""
    cdef npy_intp i
    for i in range(n - 1):
        if not data[i] < data[i + 1]:
            return False
    return True


cdef inline npy_intp last_not_above(double value, double* data, npy_intp n) noexcept:
    """Return the last index of an increasing line whose element is at most the value, or 0."""
    cdef npy_intp at = 0, half
    while n > 1:
        half = n >> 1
        at += half if data[at + half] <= value else 0
        n -= half
    return at


cdef double interpolated(double value, double* x, double* y, npy_intp n) noexcept:
    """Return the piecewise linear interpolation at increasing x, in NumPy's steps."""
    cdef npy_intp i
    if isnan(value):
        return value
    if value <= x[0]:
        return y[0]
    if value >= x[n - 1]:
        return y[n - 1]
    i = last_not_above(value, x, n)
    if x[i] == value:
        return y[i]
    return (y[i + 1] - y[i]) / (x[i + 1] - x[i]) * (value - x[i]) + y[i]


cdef object _interp(PyObject** args, Py_ssize_t n, object names, int variant):
    """interp(x, xp, fp) of float64; left to NumPy if a point is not finite."""
    cdef Operand op
    cdef LazyArray xs, ys
    cdef Node made, values
    cdef npy_intp i, points
    cdef double* x
    cdef double* y
    cdef double* out
    cdef double value
    if n != 3 or names is not None or not _is_rounded:
        return NotImplemented
    xs, ys = dense_line(args[1]), dense_line(args[2])
    if xs is None or ys is None or xs.node.typenum != cnp.NPY_DOUBLE or ys.node.typenum != cnp.NPY_DOUBLE \
            or xs.node.size == 0 or xs.node.size != ys.node.size:
        return NotImplemented
    _held = read_operand(<object>args[0], &op)
    if op.node is NULL and (op.code == WEAK_FLOAT or op.code == WEAK_INT):
        if not fill_weak(<object>args[0], &op, cnp.NPY_DOUBLE):
            return NotImplemented
        op.code = cnp.NPY_DOUBLE
    if op.code != cnp.NPY_DOUBLE:
        return NotImplemented
    x, y, points = <double*>first_of(xs), <double*>first_of(ys), xs.node.size
    values = None if op.node is NULL else <Node>op.node
    if values is not None and (not values.contiguous or values.size > LARGE or values.ndim == 0):
        return NotImplemented
    if points > 1 and are_few(&op, points):
        sought = for_numpy(<object>args[0], &op)
        if sought is None:
            return NotImplemented
        result = _numpy_interp(sought, show(xs), show(ys))
        lz_fp_clear()
        return result if values is None else take_over(result)
    if points > SMALL_ELEMENTS or not is_increasing(x, points):
        return NotImplemented
    if values is None:
        value = interpolated((<double*>op.data)[0], x, y, points) if points > 1 else y[0]
        lz_fp_clear()
        return NotImplemented if isnan(value) else scalar_at(cnp.NPY_DOUBLE, <char*>&value)
    made = new_leaf(values.ndim, values.shape, cnp.NPY_DOUBLE)
    out = <double*>made.data
    if points == 1:
        for i in range(values.size):
            out[i] = y[0]
        return new_base(made)
    for i in range(values.size):
        value = (<double*>op.data)[i]
        out[i] = interpolated(value, x, y, points)
        if isnan(out[i]) and not isnan(value):
            lz_fp_clear()
            return NotImplemented
    lz_fp_clear()
    return new_base(made)


# ---- binary search -------------------------------------------------------------------------------------

cdef bint is_sorted(number* data, npy_intp n) noexcept:
    """Return whether elements do not decrease; NaNs are not sorted."""
    cdef npy_intp i
    for i in range(n - 1):
        if not data[i] <= data[i + 1]:
            return False
    return n == 0 or data[0] == data[0]


cdef npy_intp place_of(number value, number* data, npy_intp n, bint right) noexcept:
    """Return the insertion point of a value among sorted ones, on either side of equal ones; NaN goes to the end."""
    cdef npy_intp at = 0, half, end = n
    while n > 0:  # the answer is in [at, at + n]
        half = (n + 1) >> 1
        if right:
            at += half if data[at + half - 1] <= value else 0
        else:
            at += half if data[at + half - 1] < value else 0
        n -= half
    return at if value == value else end


cdef void find_places(number* values, npy_intp count, npy_intp step, number* data, npy_intp n, bint right,
                      npy_intp* into) noexcept:
    """Write the insertion points of values `step` bytes apart, by counting if there are few elements."""
    cdef npy_intp i, k
    if n <= FEW_SORTED and step == sizeof(number):
        memset(into, 0, count * sizeof(npy_intp))
        for k in range(n):
            for i in range(count):
                into[i] += not values[i] < data[k] if right else (data[k] < values[i]) | (values[i] != values[i])
        return
    for i in range(count):
        into[i] = place_of((<number*>(<char*>values + i * step))[0], data, n, right)


cdef object searched(number* data, npy_intp n, Operand* op, bint right):
    """Return the insertion points of a number or an array; NotImplemented if the line is not sorted."""
    cdef Node values, made
    cdef npy_intp place
    if not is_sorted(data, n):
        return NotImplemented
    if op.node is NULL:
        place = place_of((<number*>op.data)[0], data, n, right)
        return scalar_at(cnp.NPY_INTP, <char*>&place)
    values = <Node>op.node
    made = new_leaf(values.ndim, values.shape, cnp.NPY_INTP)
    find_places(<number*>op.data, values.size, values.strides[0] if values.ndim == 1 else values.itemsize, data, n,
                right, <npy_intp*>made.data)
    return new_base(made)


cdef object _searchsorted(PyObject** args, Py_ssize_t n, object names, int variant):
    """searchsorted(a, v, side) of one dtype."""
    cdef PyObject* given[3]
    cdef Operand op
    cdef LazyArray x
    cdef Node values
    cdef int code
    cdef bint right = False
    if not bind(args, n, names, ("a", "v", "side"), 2, given):
        return NotImplemented
    if given[2] is not NULL:
        if type(<object>given[2]) is not str or <object>given[2] not in ("left", "right"):
            return NotImplemented
        right = <object>given[2] == "right"
    x = dense_line(given[0])
    if x is None:
        return NotImplemented
    code = x.node.typenum
    _held = read_operand(<object>given[1], &op)
    if op.node is not NULL:
        values = <Node>op.node
        if op.code != code or values.ndim == 0 or values.ndim > 1 and not values.contiguous \
                or values.size > LARGE:
            return NotImplemented
    elif op.code == WEAK_INT and code == cnp.NPY_LONG or op.code == WEAK_FLOAT and code == cnp.NPY_DOUBLE:
        if not fill_weak(<object>given[1], &op, code):
            return NotImplemented
        op.code = code
    elif op.code != code:
        return NotImplemented
    if are_few(&op, x.node.size):
        sought = for_numpy(<object>given[1], &op)
        if sought is None:
            return NotImplemented
        found = cnp.PyArray_SearchSorted(<cnp.ndarray>show(x), sought, <cnp.NPY_SEARCHSIDE>right, NULL)
        return found[()] if op.node is NULL else take_over(found)
    return searched_in(x, &op, right)


cdef object searched_in(LazyArray x, Operand* op, bint right):
    """Return the insertion points of values of x's type; NotImplemented for long, unsorted or other lines."""
    if x.node.size > LARGE:
        return NotImplemented
    if x.node.typenum == cnp.NPY_DOUBLE:
        return searched(<double*>first_of(x), x.node.size, op, right)
    if x.node.typenum == cnp.NPY_LONG:
        return searched(<long*>first_of(x), x.node.size, op, right)
    if x.node.typenum == cnp.NPY_FLOAT:
        return searched(<float*>first_of(x), x.node.size, op, right)
    return NotImplemented


cdef object _digitize(PyObject** args, Py_ssize_t n, object names, int variant):
    """digitize(x, bins, right) of C-ordered arrays of one dtype, with increasing edges."""
    cdef PyObject* given[3]
    cdef LazyArray x = ready_array(args, n, LARGE), edges
    cdef bint right = False
    cdef Operand op
    if x is None or not x.node.contiguous or not bind(args, n, names, ("x", "bins", "right"), 2, given) \
            or not read_flag(given[2], &right):
        return NotImplemented
    edges = dense_line(given[1])
    if edges is None or edges.node.typenum != x.node.typenum:
        return NotImplemented
    _held = read_operand(x, &op)
    made = searched_in(edges, &op, not right)
    lz_fp_clear()
    return made


# ---- counting ------------------------------------------------------------------------------------------


cdef LazyArray counted_line(PyObject* obj, int code):
    """Return a line of a type that is counted eagerly; else None."""
    cdef LazyArray x = dense_line(obj)
    return x if x is not None and x.node.typenum == code and x.node.size <= COUNTED else None


cdef object _bincount(PyObject** args, Py_ssize_t n, object names, int variant):
    """bincount(x, weights, minlength) of contiguous integers; negative and large ones are left to NumPy."""
    cdef PyObject* given[3]
    cdef LazyArray x, weights = None
    cdef npy_intp i, size, least = 1
    cdef long* data
    cdef npy_intp* counts
    cdef double* sums
    cdef double* added
    cdef unsigned long largest = 0
    cdef Node made
    if not bind(args, n, names, ("x", "weights", "minlength"), 1, given) \
            or not read_integer(given[2], 0, COUNTED, &least):
        return NotImplemented
    x = counted_line(given[0], cnp.NPY_LONG)
    if x is None:
        return NotImplemented
    data, size = <long*>first_of(x), x.node.size
    if given[1] is not NULL and <object>given[1] is not None:
        weights = counted_line(given[1], cnp.NPY_DOUBLE)
        if weights is None or weights.node.size != size:
            return NotImplemented
    if size:
        fold_line(_largest, MAX, <char*>&largest, <char*>data, size, sizeof(long))
    if largest >= COUNTED:  # as unsigned numbers, negative ones are the largest
        return NotImplemented
    least = max(least, <npy_intp>largest + 1)
    made = new_leaf(1, &least, cnp.NPY_INTP if weights is None else cnp.NPY_DOUBLE)
    memset(made.data, 0, made.span)
    if weights is None:
        counts = <npy_intp*>made.data
        for i in range(size):
            counts[data[i]] += 1
    else:
        sums, added = <double*>made.data, <double*>first_of(weights)
        for i in range(size):
            sums[data[i]] += added[i]
        lz_fp_clear()
    return new_base(made)


add_native("convolve", _correlated, True)
add_native("correlate", _correlated, False)
add_native("interp", _interp)
add_native("searchsorted ndarray.searchsorted", _searchsorted)
add_native("digitize", _digitize)
add_native("bincount", _bincount)
