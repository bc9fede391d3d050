"""Eager reductions and cumulative sums, over all elements or along one axis of a matrix.

NumPy's loops are called as NumPy's reductions call them, so sums have the same order: one call for evenly strided
elements, row by row for sums of rows. Calls that set a status flag are left to NumPy, which reports it.
"""
cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, add_native, axis_argument, find_ufunc, first_of, lz_fp_clear, lz_fp_take, memcpy, must_report, new_base,
    new_leaf, number, ready_array, resolve, scalar_at, small_array)
from lazyarr._core.frontend.eager_ufunc cimport call_at_once, scalars_at_once
from lazyarr._core.frontend.elements cimport lz_count_contiguous
from lazyarr._core.frontend.reshape cimport is_fortran
from lazyarr._core.ir.data_loops cimport search_loop
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL

import numpy as np

cdef enum:
    NARROW = 16             # most columns for which rows are added without a call each

ctypedef struct Rows:
    npy_intp count, columns
    npy_intp step   # stride between rows in bytes
    bint turned     # rows are the array's columns

cdef Ufunc* _ufuncs[6]
_ufuncs[<int>SUM] = find_ufunc(np.add)
_ufuncs[<int>PROD] = find_ufunc(np.multiply)
_ufuncs[<int>MAX] = find_ufunc(np.maximum)
_ufuncs[<int>MIN] = find_ufunc(np.minimum)
_ufuncs[<int>FMAX] = find_ufunc(np.fmax)
_ufuncs[<int>FMIN] = find_ufunc(np.fmin)
cdef Ufunc* _subtract = find_ufunc(np.subtract)


cdef object fold_axis(PyObject** args, Py_ssize_t n, object names, bint* keeps):
    """Return the axis of a reduction with optional `keepdims`; NotImplemented for other calls."""
    cdef Py_ssize_t i
    keeps[0] = False
    if names is None or n != 1:
        return axis_argument(args, n, names)
    axis = None
    for i in range(len(<tuple>names)):
        if (<tuple>names)[i] == "axis":
            axis = <object>args[n + i]
        elif (<tuple>names)[i] == "keepdims" and type(<object>args[n + i]) is bool:
            keeps[0] = <object>args[n + i] is True
        else:
            return NotImplemented
    return axis


cdef Node leaf_of_fold(Node node, int axis, bint keeps, int code):
    """Return a leaf for reductions of a matrix along an axis."""
    cdef npy_intp shape[2]
    if not keeps:
        return new_leaf(1, &node.shape[1 - axis], code)
    shape[axis], shape[1 - axis] = 1, node.shape[1 - axis]
    return new_leaf(2, shape, code)


cdef Loop* fold_loop(int which, int code) except? NULL:
    """Return the loop that reduces a type without a cast; NULL if there is none."""
    cdef int codes[2]
    cdef Loop* loop
    if which <= PROD and not (code == cnp.NPY_LONG or code == cnp.NPY_ULONG or cnp.NPY_FLOAT <= code <= cnp.NPY_DOUBLE
                              or cnp.NPY_CFLOAT <= code <= cnp.NPY_CDOUBLE):
        return NULL
    codes[0] = codes[1] = code
    loop = resolve(_ufuncs[which], codes).loop
    if loop is NULL or loop.types[0] != code or loop.types[2] != code or loop.flags & LOOP_SERIAL:
        return NULL
    return loop


cdef inline void start_fold(Loop* loop, int which, char* into, char* first, npy_intp* n) noexcept:
    """Initialise a reduction: the identity for sums and products, else the first element, which is consumed."""
    if loop.has_start:
        memcpy(into, loop.start, loop.sizes[2])
    elif which <= PROD and not loop.has_start and loop.types[2] in (cnp.NPY_LONG, cnp.NPY_ULONG):
        (<long*>into)[0] = which == PROD
    else:
        memcpy(into, first, loop.sizes[2])
        n[0] -= 1


cdef void fold_line(Loop* loop, int which, char* into, char* data, npy_intp n, npy_intp stride) noexcept:
    """Reduce elements with a stride in bytes; NumPy traverses extrema forwards in memory."""
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp left = n
    if stride < 0 and which > PROD:
        data += (n - 1) * stride
        stride = -stride
    start_fold(loop, which, into, data, &left)
    args[0], args[1], args[2] = into, data + (n - left) * stride, into
    steps[0], steps[1], steps[2] = 0, stride, 0
    if left:
        loop.numpy_fn(args, &left, steps, loop.numpy_data)


cdef Loop* _sum_of_doubles = fold_loop(SUM, cnp.NPY_DOUBLE)


cdef double sum_of_doubles(double* data, npy_intp n) noexcept:
    """Return the sum of contiguous elements, in NumPy's order."""
    cdef double total
    fold_line(_sum_of_doubles, SUM, <char*>&total, <char*>data, n, sizeof(double))
    return total


cdef void fold_rows(Loop* loop, int which, char* into, char* data, npy_intp rows, npy_intp columns,
                    npy_intp step) noexcept:
    """Reduce contiguous rows of a matrix, `step` bytes apart."""
    cdef char* args[3]
    cdef npy_intp steps[3]
    cdef npy_intp left, r, c, width = loop.sizes[2]
    if columns == 1:
        fold_line(loop, which, into, data, rows, step)
        return
    if which == SUM and columns <= NARROW and loop.types[0] == cnp.NPY_DOUBLE:
        sum_narrow(loop, <double*>into, <double*>data, rows, columns, step // width)
        return
    for c in range(columns):
        left = rows
        start_fold(loop, which, into + c * width, data + c * width, &left)
    steps[0] = steps[1] = steps[2] = width
    for r in range(rows - left, rows):
        args[0], args[1], args[2] = into, data + r * step, into
        loop.fn(args, &columns, steps, loop.data)


cdef void sum_narrow(Loop* loop, double* into, double* data, npy_intp rows, npy_intp columns, npy_intp step) noexcept:
    """Sum the rows of a narrow matrix in the same order, without a call per row."""
    cdef double total[NARROW]
    cdef npy_intp r, c, left
    for c in range(columns):
        left = rows
        start_fold(loop, SUM, <char*>&total[c], <char*>&data[c], &left)
    for r in range(rows - left, rows):
        for c in range(columns):
            total[c] += data[r * step + c]
    for c in range(columns):
        into[c] = total[c]


cdef object fold(PyObject** args, Py_ssize_t n, object names, int which):
    """Reduce by one ufunc: sums, products, extrema.

    The graph's partial products may be subnormal and slow where the whole product is zero early.
    """
    cdef LazyArray x = ready_array(args, n, LARGE if which == PROD else FOLDED)
    cdef long double value[2]
    cdef npy_intp r
    cdef Rows matrix
    cdef bint keeps
    cdef Loop* loop
    cdef Node node, made
    if x is None:
        return NotImplemented
    node = x.node
    axis = fold_axis(args, n, names, &keeps)
    if which == SUM and node.typenum == cnp.NPY_BOOL and node.contiguous and not keeps \
            and (axis is None or node.ndim == 1 and axis == 0):
        return count_true(x)
    loop = fold_loop(which, node.typenum)
    if loop is NULL or not (axis is None or type(axis) is int) or keeps and (axis is None or node.ndim != 2):
        return NotImplemented
    lz_fp_clear()
    if node.ndim == 1 and (axis is None or axis == 0 or axis == -1):
        fold_line(loop, which, <char*>value, first_of(x), node.size, node.strides[0])
    elif axis is None:
        if not node.contiguous and not is_fortran(node):
            return NotImplemented  # NumPy's iterator decides the order
        fold_line(loop, which, <char*>value, first_of(x), node.size, node.itemsize)
    elif node.ndim == 2 and -2 <= axis < 2 and as_rows(node, &matrix) and not (matrix.turned and keeps):
        made = leaf_of_fold(node, axis & 1, keeps, node.typenum)
        if (axis & 1) != matrix.turned:
            for r in range(matrix.count):
                fold_line(loop, which, made.data + r * node.itemsize, first_of(x) + r * matrix.step, matrix.columns,
                          node.itemsize)
        else:
            fold_rows(loop, which, made.data, first_of(x), matrix.count, matrix.columns, matrix.step)
        return NotImplemented if must_report(lz_fp_take()) else new_base(made)
    else:
        return NotImplemented
    return NotImplemented if must_report(lz_fp_take()) else scalar_at(node.typenum, <char*>value)


cdef bint as_rows(Node node, Rows* matrix) noexcept:
    """Find the contiguous rows of a matrix: its own, or its columns."""
    cdef npy_intp width = node.itemsize
    cdef int inner
    for inner in range(1, -1, -1):
        if node.strides[inner] == width and node.strides[1 - inner] >= node.shape[inner] * width:
            matrix.count, matrix.columns = node.shape[1 - inner], node.shape[inner]
            matrix.step, matrix.turned = node.strides[1 - inner], inner == 0
            return True
    return False


cdef object folded(Ufunc* u, object x, object axis):
    """Return the reduction by a ufunc along an axis (None: all); NotImplemented if it is none of the four."""
    cdef PyObject* given[2]
    cdef int which
    given[0], given[1] = <PyObject*>x, <PyObject*>axis
    for which in range(4):
        if _ufuncs[which] is u:
            return fold(given, 2, None, which)
    return NotImplemented


cdef object _ptp(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef PyObject* ends[2]
    largest = fold(args, n, names, MAX)
    smallest = fold(args, n, names, MIN)
    if largest is NotImplemented or smallest is NotImplemented:
        return NotImplemented
    ends[0], ends[1] = <PyObject*>largest, <PyObject*>smallest
    # by the ufunc: scalar operators give other warnings
    found = call_at_once(_subtract, largest, smallest) if type(largest) is LazyArray else \
        scalars_at_once(_subtract, ends, 2)
    return NotImplemented if found is None else found


# ---- argmin, argmax, cumulative sums ----------------------------------------------------------------------


cdef object _search(PyObject** args, Py_ssize_t n, object names, int largest):
    """argmin and argmax over all elements, or along an axis of a contiguous matrix."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef npy_intp place, r
    cdef long double best[2]
    cdef int along, kept
    cdef Loop* loop
    cdef Node node, made, values
    if x is None:
        return NotImplemented
    node = x.node
    axis = axis_argument(args, n, names)
    if not (axis is None or type(axis) is int):
        return NotImplemented
    loop = search_loop(node.typenum, largest)
    if loop.search is NULL or loop.search_rows is NULL:
        return NotImplemented
    if node.contiguous and axis is None or node.ndim == 1 and (axis is None or axis == 0 or axis == -1):
        if node.contiguous:
            loop.search(first_of(x), node.size, &place, NULL)
        else:
            loop.search_rows(&place, best, first_of(x), node.strides[0], 1, node.size, 0, True)
        return scalar_at(cnp.NPY_INTP, <char*>&place)
    if node.ndim != 2 or axis is None or not -2 <= axis < 2:
        return NotImplemented
    along = axis & 1
    kept = 1 - along
    made = new_leaf(1, &node.shape[kept], cnp.NPY_INTP)
    if node.strides[along] == node.itemsize:
        for r in range(node.shape[kept]):
            loop.search(first_of(x) + r * node.strides[kept], node.shape[along], <npy_intp*>made.data + r, NULL)
    elif node.strides[kept] == node.itemsize:
        values = new_leaf(1, &node.shape[kept], node.typenum)
        loop.search_rows(<npy_intp*>made.data, values.data, first_of(x), node.strides[along], node.shape[kept],
                         node.shape[along], 0, True)
    else:
        return NotImplemented
    return new_base(made)


cdef object _count_nonzero(PyObject** args, Py_ssize_t n, object names, int variant):
    cdef LazyArray x = ready_array(args, n, SEARCHED)
    if x is None or n != 1 or names is not None or x.node.typenum != cnp.NPY_BOOL or not x.node.contiguous:
        return NotImplemented
    return count_true(x)


cdef object count_true(LazyArray x):
    """Return the number of true elements among C-ordered bools."""
    cdef npy_intp found = lz_count_contiguous(first_of(x), x.node.size)
    return scalar_at(cnp.NPY_INTP, <char*>&found)


cdef void run_on(number* to, number* x, npy_intp n, bint product) noexcept:
    cdef npy_intp i
    to[0] = x[0]
    if product:
        for i in range(1, n):
            to[i] = to[i - 1] * x[i]
    else:
        for i in range(1, n):
            to[i] = to[i - 1] + x[i]


cdef object _accumulate(PyObject** args, Py_ssize_t n, object names, int product):
    """Cumulative sums or products of all elements in C order."""
    cdef LazyArray x = small_array(args, n)
    cdef Node node, made
    if x is None:
        return NotImplemented
    node = x.node
    axis = axis_argument(args, n, names)
    if not node.contiguous or not (axis is None or node.ndim == 1 and type(axis) is int and -1 <= axis < 1) \
            or not (node.typenum == cnp.NPY_LONG or node.typenum == cnp.NPY_FLOAT or node.typenum == cnp.NPY_DOUBLE):
        return NotImplemented
    made = new_leaf(1, &node.size, node.typenum)
    lz_fp_clear()
    if node.typenum == cnp.NPY_DOUBLE:
        run_on(<double*>made.data, <double*>first_of(x), node.size, product)
    elif node.typenum == cnp.NPY_FLOAT:
        run_on(<float*>made.data, <float*>first_of(x), node.size, product)
    else:
        run_on(<long*>made.data, <long*>first_of(x), node.size, product)
    return NotImplemented if must_report(lz_fp_take()) else new_base(made)


add_native("sum ndarray.sum", fold, SUM)
add_native("prod ndarray.prod", fold, PROD)
add_native("max ndarray.max amax", fold, MAX)
add_native("min ndarray.min amin", fold, MIN)
add_native("argmax ndarray.argmax", _search, True)
add_native("argmin ndarray.argmin", _search, False)
add_native("cumsum ndarray.cumsum", _accumulate, False)
add_native("cumprod ndarray.cumprod", _accumulate, True)
add_native("ptp", _ptp)
add_native("count_nonzero", _count_nonzero)
