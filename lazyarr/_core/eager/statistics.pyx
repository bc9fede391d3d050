# cython: cdivision=True
# (floats are divided as C divides them)
"""Eager averages, medians and quantiles, and NaN-skipping reductions.

NumPy's partition is called with the same pivots as in NumPy's functions, since it decides the order of equal elements
such as zeros of either sign.
"""
from libc.math cimport floor, isfinite, isnan

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, LazyArray, Loop, Node, PyObject, add_native, as_doubles, axis_argument, bind, first_of, is_number,
    lz_fp_clear, lz_fp_take, memcpy, must_report, new_base, new_leaf, npy_intp, ready_array, scalar_at, small_array)
from lazyarr._core.eager.moments cimport statistic
from lazyarr._core.eager.reductions cimport FMAX, FMIN, LINEAR, MEAN, PROD, fold, fold_loop, sum_of_doubles
from lazyarr._core.frontend.eager_ufunc cimport has_nan
from lazyarr._core.ir.node cimport same_shape

cdef extern from "numpy/arrayobject.h":
    int PyArray_Partition(cnp.ndarray array, cnp.ndarray places, int axis, int kind) except -1

cnp.import_array()

cdef enum:
    INTROSELECT = 0
    MOST_QUANTILES = 16     # most quantiles per call

cdef Loop* _product_of_doubles = fold_loop(PROD, cnp.NPY_DOUBLE)


# ---- medians and quantiles -----------------------------------------------------------------------------

cdef struct Lanes:
    # the lines along an axis; strides are in elements
    npy_intp count
    npy_intp length
    npy_intp apart
    npy_intp step


cdef bint find_lanes(Node node, object axis, Lanes* lanes) except -1:
    """Find the lines along an axis of a C-ordered array, or a single line of all elements; return False otherwise."""
    if axis is None or node.ndim == 1 and type(axis) is int and -1 <= axis < 1:
        lanes[0] = Lanes(1, node.size, 0, 1)
    elif node.ndim == 2 and type(axis) is int and -2 <= axis < 2:
        if axis & 1:
            lanes[0] = Lanes(node.shape[0], node.shape[1], node.shape[1], 1)
        else:
            lanes[0] = Lanes(node.shape[1], node.shape[0], 1, node.shape[1])
    else:
        return False
    return True


cdef cnp.ndarray partitioned(LazyArray x, object axis, npy_intp* places, npy_intp count):
    """Return a copy with the elements at these indices of each line in sorted position."""
    cdef Node node = x.node
    cdef bint whole = axis is None
    cdef cnp.ndarray made = cnp.PyArray_SimpleNew(1 if whole else node.ndim, &node.size if whole else node.shape,
                                                  node.typenum)
    cdef cnp.ndarray kth = cnp.PyArray_SimpleNewFromData(1, &count, cnp.NPY_INTP, places)
    memcpy(cnp.PyArray_DATA(made), first_of(x), node.size * node.itemsize)
    PyArray_Partition(made, kth, 0 if whole else <int>axis, INTROSELECT)
    return made


cdef inline double element(cnp.ndarray array, npy_intp place) noexcept:
    """Return an element of a float64 or int64 array."""
    if cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE:
        return (<double*>cnp.PyArray_DATA(array))[place]
    return <double>(<long*>cnp.PyArray_DATA(array))[place]


cdef object _median(PyObject** args, Py_ssize_t n, object names, int variant):
    """median(x, axis) of float64 or int64 elements in C order."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef npy_intp places[3]
    cdef npy_intp count, middle, start, i
    cdef double found[2]
    cdef double value, last
    cdef Lanes lanes
    cdef Node made = None
    cdef bint floats
    if x is None or not x.node.contiguous:
        return NotImplemented
    floats = x.node.typenum == cnp.NPY_DOUBLE
    axis = axis_argument(args, n, names)
    if not (floats or x.node.typenum == cnp.NPY_LONG) or not find_lanes(x.node, axis, &lanes):
        return NotImplemented
    count = 1 + (lanes.length % 2 == 0)
    middle = (lanes.length - 1) // 2
    for i in range(count):
        places[i] = middle + i
    if floats:
        places[count] = -1  # NaNs are sorted to the end
    part = partitioned(x, axis, places, count + floats)
    if axis is not None and x.node.ndim > 1:
        made = new_leaf(1, &lanes.count, cnp.NPY_DOUBLE)
    lz_fp_clear()
    for i in range(lanes.count):
        start = i * lanes.apart
        found[0] = element(part, start + middle * lanes.step)
        found[1] = element(part, start + (middle + count - 1) * lanes.step)
        value = sum_of_doubles(found, count) / count
        last = element(part, start + (lanes.length - 1) * lanes.step)
        if isnan(last):
            value = last
        if made is not None:
            (<double*>made.data)[i] = value
    if must_report(lz_fp_take()):
        return NotImplemented
    return scalar_at(cnp.NPY_DOUBLE, <char*>&value) if made is None else new_base(made)


cdef struct Quantile:
    # position in a sorted line: between two indices, of which -1 is the last, and the fraction
    npy_intp low
    npy_intp high
    double way


cdef int read_quantiles(object q, double whole, double* into) except -2:
    """Read one or more numbers as fractions of `whole`; return their count, -1 for what is left to NumPy.

    Integers are fractions of 1 that NumPy does not interpolate.
    """
    cdef PyObject* given = <PyObject*>q
    cdef LazyArray several
    cdef int i, count = 0
    if type(q) is LazyArray:
        several = ready_array(&given, 1, MOST_QUANTILES)
        if several is None or several.node.ndim != 1 or several.node.typenum != cnp.NPY_DOUBLE:
            return -1
        count = <int>several.node.size
        for i in range(count):
            into[i] = (<double*>(first_of(several) + i * several.node.strides[0]))[0]
    elif type(q) is list or type(q) is tuple:
        if not 0 < len(q) <= MOST_QUANTILES:
            return -1
        for number in q:
            if not is_number(number) or whole == 1 and type(number) is int:
                return -1
            into[count] = number
            count += 1
    elif is_number(q) and not (whole == 1 and type(q) is int):
        into[0] = q
        count = 1
    for i in range(count):
        if whole != 1:
            into[i] /= whole
        if not 0 <= into[i] <= 1:
            return -1
    return count if count else -1


cdef npy_intp find_places(Quantile* found, int count, npy_intp* places) noexcept:
    """List all required indices, and the ends, sorted and unique; return their number."""
    cdef npy_intp total = 2, place, i, j
    cdef int k
    places[0], places[1] = -1, 0
    for k in range(2 * count):
        place = found[k // 2].high if k % 2 else found[k // 2].low
        j = total
        while j > 0 and places[j - 1] > place:
            j -= 1
        if j and places[j - 1] == place:
            continue
        for i in range(total, j, -1):
            places[i] = places[i - 1]
        places[j] = place
        total += 1
    return total


cdef inline double between(double low, double high, double way) noexcept:
    """Interpolate as NumPy does, from the nearer end."""
    cdef double apart = high - low
    return low + apart * way if way < 0.5 else high - apart * (1 - way)


cdef object _quantiles(PyObject** args, Py_ssize_t n, object names, int whole):
    """Quantiles of float64 elements by linear interpolation, of all elements or along an axis.

    Next to infinities and NaNs, NumPy computes values that it does not use, and reports their flags: left to NumPy.
    """
    cdef PyObject* bound[3]
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef double asked[MOST_QUANTILES]
    cdef Quantile found[MOST_QUANTILES]
    cdef npy_intp places[2 * MOST_QUANTILES + 2]
    cdef npy_intp total, i, length
    cdef double value, last, virtual
    cdef double* data
    cdef double* line
    cdef Lanes lanes
    cdef Node made = None
    cdef Quantile* one
    cdef int count, k
    cdef bint is_along
    if x is None or x.node.typenum != cnp.NPY_DOUBLE or not x.node.contiguous \
            or not bind(args, n, names, ("a", "q", "axis"), 2, bound):
        return NotImplemented
    axis = None if bound[2] is NULL else <object>bound[2]
    q = <object>bound[1]
    count = read_quantiles(q, whole, asked)
    is_along = axis is not None and x.node.ndim > 1
    if count < 0 or not find_lanes(x.node, axis, &lanes) or is_along and not is_number(q):
        return NotImplemented
    length = lanes.length
    for k in range(count):
        one = &found[k]
        virtual = (length - 1) * asked[k]
        one.low = <npy_intp>floor(virtual)
        one.high = one.low + 1
        if virtual >= length - 1:
            one.low = one.high = -1
        one.way = virtual - one.low
    total = find_places(found, count, places)
    part = partitioned(x, axis, places, total)
    data = <double*>cnp.PyArray_DATA(part)
    if not is_number(q):
        total = count
        made = new_leaf(1, &total, cnp.NPY_DOUBLE)
    elif is_along:
        made = new_leaf(1, &lanes.count, cnp.NPY_DOUBLE)
    lz_fp_clear()
    for i in range(lanes.count):
        line = data + i * lanes.apart
        last = line[(length - 1) * lanes.step]
        for k in range(count):
            one = &found[k]
            value = between(last if one.low < 0 else line[one.low * lanes.step],
                            last if one.high < 0 else line[one.high * lanes.step], one.way)
            if not isfinite(value) or isnan(last):
                return NotImplemented
            if made is not None:
                (<double*>made.data)[i + k] = value
    if must_report(lz_fp_take()):
        return NotImplemented
    return scalar_at(cnp.NPY_DOUBLE, <char*>&value) if made is None else new_base(made)


cdef object _average(PyObject** args, Py_ssize_t n, object names, int variant):
    """average(x, axis), and average(x, weights=w) of all elements, with one weight each."""
    cdef PyObject* bound[3]
    cdef LazyArray x, w
    cdef Node product
    cdef double total, weight
    cdef npy_intp steps[3]
    cdef char* data[3]
    cdef npy_intp i
    if not bind(args, n, names, ("a", "axis", "weights"), 1, bound):
        return NotImplemented
    if bound[2] is NULL or <object>bound[2] is None:
        return statistic(bound, 1 if bound[1] is NULL else 2, None, MEAN)
    x, w = ready_array(bound, 1, LARGE), ready_array(bound + 2, 1, LARGE)
    if x is None or w is None or not same_shape(x.node, w.node) or not (bound[1] is NULL or <object>bound[1] is None):
        return NotImplemented
    if x.node.size > LINEAR and w.node.typenum != cnp.NPY_DOUBLE:
        return NotImplemented  # NumPy casts and adds piecewise
    x, w = as_doubles(x), as_doubles(w)
    if x is None or w is None:
        return NotImplemented
    product = new_leaf(1, &x.node.size, cnp.NPY_DOUBLE)
    for i in range(3):
        steps[i] = 8
    data[0], data[1], data[2] = first_of(x), first_of(w), product.data
    lz_fp_clear()
    weight = sum_of_doubles(<double*>first_of(w), w.node.size)
    if weight == 0:
        return NotImplemented
    _product_of_doubles.fn(data, &product.size, steps, _product_of_doubles.data)
    total = sum_of_doubles(<double*>product.data, product.size) / weight
    if must_report(lz_fp_take()) or isnan(total):
        return NotImplemented  # which of two NaNs comes out is NumPy's affair
    return scalar_at(cnp.NPY_DOUBLE, <char*>&total)


# ---- NaN-skipping reductions ---------------------------------------------------------------------------


cdef bint shows_nan(object found) except -1:
    """Return whether there is a NaN in a C-ordered float64 array, or in a scalar."""
    cdef Node node
    if type(found) is not LazyArray:
        return found != found
    node = (<LazyArray>found).node
    return node.typenum == cnp.NPY_DOUBLE and has_nan(node.typenum, node.ndim, node.shape, first_of(<LazyArray>found))


cdef object _extremum(PyObject** args, Py_ssize_t n, object names, int which):
    """nanmin and nanmax of float64 or integers; NumPy warns if there are NaNs only."""
    cdef LazyArray x = small_array(args, n)
    if x is None or x.node.typenum > cnp.NPY_ULONGLONG and x.node.typenum != cnp.NPY_DOUBLE:
        return NotImplemented
    found = fold(args, n, names, which)
    return NotImplemented if found is not NotImplemented and shows_nan(found) else found


cdef LazyArray without_nans(LazyArray x, npy_intp* left):
    """Return a C-ordered float64 array with zeros for NaNs (x itself if none), and count the rest."""
    cdef npy_intp i
    cdef double value
    cdef double* data = <double*>first_of(x)
    cdef Node made
    left[0] = 0
    for i in range(x.node.size):
        left[0] += data[i] == data[i]
    if left[0] == x.node.size:
        return x
    made = new_leaf(x.node.ndim, x.node.shape, cnp.NPY_DOUBLE)
    for i in range(made.size):
        value = data[i]
        (<double*>made.data)[i] = value if value == value else 0
    return new_base(made)


cdef object _sum_past_nans(PyObject** args, Py_ssize_t n, object names, int is_mean):
    """nansum and nanmean of all elements of C-ordered float64; empty sums are left to NumPy, which warns."""
    cdef LazyArray x = small_array(args, n)
    cdef npy_intp left
    cdef double total
    axis = axis_argument(args, n, names)
    if x is None or x.node.typenum != cnp.NPY_DOUBLE or not x.node.contiguous or not (
            axis is None or x.node.ndim == 1 and type(axis) is int and -1 <= axis < 1):
        return NotImplemented
    x = without_nans(x, &left)
    if is_mean and left == 0:
        return NotImplemented
    lz_fp_clear()
    total = sum_of_doubles(<double*>first_of(x), x.node.size)
    if is_mean:
        total /= left
    return NotImplemented if must_report(lz_fp_take()) else scalar_at(cnp.NPY_DOUBLE, <char*>&total)


add_native("median", _median)
add_native("percentile", _quantiles, 100)
add_native("quantile", _quantiles, 1)
add_native("average", _average)
add_native("nanmax", _extremum, FMAX)
add_native("nanmin", _extremum, FMIN)
add_native("nansum", _sum_past_nans, False)
add_native("nanmean", _sum_past_nans, True)
