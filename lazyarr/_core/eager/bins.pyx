# cython: cdivision=True
# (floats are divided as C divides them)
"""Sorting values into bins at once: histograms, the bins of elements, and the values that occur."""
from cpython.object cimport PyObject
from libc.math cimport isfinite
from libc.string cimport memcpy, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.eager.arguments cimport as_doubles, read_flag, read_number
from lazyarr._core.eager.reductions cimport MAX, MIN, ready_array, fold_line, fold_loop
from lazyarr._core.frontend.eager cimport LARGE, first_of, must_report, new_base, new_leaf
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.frontend.native_forms cimport add_native, bind
from lazyarr._core.frontend.views cimport new_view
from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.loop_table cimport Loop
from lazyarr._core.ir.node cimport Node

cdef extern from "numpy/arrayobject.h":
    int PyArray_Sort(cnp.ndarray array, int axis, int kind) except -1

cnp.import_array()

cdef enum:
    QUICKSORT = 0
    MOST_BINS = 4096        # of a histogram that is made at once
    FEW_EDGES = 8

cdef Loop* _smallest = fold_loop(MIN, cnp.NPY_DOUBLE)
cdef Loop* _largest = fold_loop(MAX, cnp.NPY_DOUBLE)
cdef tuple _HISTOGRAM = ("a", "bins", "range")
cdef tuple _DIGITIZE = ("x", "bins", "right")


# ---- histograms ----------------------------------------------------------------------------------------


cdef bint find_range(LazyArray x, PyObject* given, double* low, double* high) except -1:
    """Find the outer edges: the range that is given, or the extrema; False for any that NumPy refuses."""
    cdef PyObject* ends[2]
    if given is not NULL and <object>given is not None:
        if type(<object>given) is not tuple or len(<tuple>given) != 2:
            return False
        ends[0], ends[1] = <PyObject*>(<tuple>given)[0], <PyObject*>(<tuple>given)[1]
        if not read_number(ends[0], low) or not read_number(ends[1], high):
            return False
    else:
        fold_line(_smallest, MIN, <char*>low, first_of(x), x.node.size, 8)
        fold_line(_largest, MAX, <char*>high, first_of(x), x.node.size, 8)
    if low[0] == high[0]:
        low[0] -= 0.5
        high[0] += 0.5
    return low[0] < high[0] and isfinite(low[0]) and isfinite(high[0])


cdef bint fill_edges(double* edges, npy_intp bins, double low, double high) noexcept:
    """Write the edges as linspace does; whether they increase."""
    cdef double step = (high - low) / bins
    cdef npy_intp i
    if step == 0 or not isfinite(step):
        return False
    for i in range(bins + 1):
        edges[i] = i * step + low
    edges[bins] = high
    for i in range(bins):
        if not edges[i] < edges[i + 1]:
            return False
    return True


cdef void count_values(double* data, npy_intp n, double* edges, npy_intp bins, npy_intp* counts) noexcept:
    """Count the values in each bin, found by division and put right at the edges, as NumPy does."""
    cdef double low = edges[0], high = edges[bins], width = high - low
    cdef npy_intp i, place
    for i in range(n):
        if not low <= data[i] <= high:
            continue
        place = <npy_intp>((data[i] - low) / width * bins)
        place -= place == bins
        place -= data[i] < edges[place]
        place += data[i] >= edges[place + 1] and place != bins - 1
        counts[place] += 1


cdef object _histogram(PyObject** args, Py_ssize_t n, object names):
    """histogram(x, bins, range) of float64, or integers that float64 holds, with a number of bins."""
    cdef PyObject* bound[3]
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef double low = 0, high = 0
    cdef npy_intp bins = 10, edge_count
    cdef Node edges, counts
    if x is None or not bind(args, n, names, _HISTOGRAM, bound) or x.node.typenum == cnp.NPY_BOOL:
        return NotImplemented
    if bound[1] is not NULL:
        if type(<object>bound[1]) is not int or not 0 < <object>bound[1] <= MOST_BINS:
            return NotImplemented
        bins = <object>bound[1]
    if x.node.typenum != cnp.NPY_DOUBLE and not is_exact(x):
        return NotImplemented
    x = as_doubles(x)
    if x is None or not find_range(x, bound[2], &low, &high):
        return NotImplemented
    edge_count = bins + 1
    edges = new_leaf(1, &edge_count, cnp.NPY_DOUBLE)
    counts = new_leaf(1, &bins, cnp.NPY_INTP)
    memset(counts.data, 0, counts.span)
    lz_fp_clear()
    if not fill_edges(<double*>edges.data, bins, low, high):
        return NotImplemented
    count_values(<double*>first_of(x), x.node.size, <double*>edges.data, bins, <npy_intp*>counts.data)
    if must_report(lz_fp_take()):
        return NotImplemented
    return new_base(counts), new_view(new_base(edges), edges, True)  # linspace gives a view


cdef bint is_exact(LazyArray x) noexcept:
    """Whether elements of int64 side by side are all integers that float64 holds; False for other types."""
    cdef npy_intp i
    cdef long value
    if x.node.typenum != cnp.NPY_LONG or not x.node.contiguous:
        return False
    for i in range(x.node.size):
        value = (<long*>first_of(x))[i]
        if not -(1LL << 52) < value < 1LL << 52:
            return False
    return True


# ---- places among edges --------------------------------------------------------------------------------

ctypedef fused Number:
    int
    long
    float
    double


cdef bint are_sorted(Number* data, npy_intp n) noexcept:
    """Whether values increase or stay; a NaN does neither."""
    cdef npy_intp i
    if n and data[n - 1] != data[n - 1]:
        return False
    for i in range(1, n):
        if not data[i - 1] <= data[i]:
            return False
    return True


cdef inline bint is_behind(Number value, Number edge, bint right) noexcept:
    """Whether a value lies behind an edge, on which it does not lie if `right`; NaN lies behind all."""
    return (edge < value) | (value != value) if right else not value < edge


cdef void find_bins(Number* data, npy_intp n, Number* edges, npy_intp count, bint right, npy_intp* into) noexcept:
    """Count the edges that each value lies behind: by linear search where they are few, else by bisection."""
    cdef npy_intp i, k, first, left, half
    if count <= FEW_EDGES:
        memset(into, 0, n * sizeof(npy_intp))
        for k in range(count):
            for i in range(n):
                into[i] += is_behind(data[i], edges[k], right)
        return
    for i in range(n):
        first, left = 0, count
        while left > 1:
            half = left // 2
            first += half * is_behind(data[i], edges[first + half - 1], right)  # no branch to mispredict
            left -= half
        into[i] = first + is_behind(data[i], edges[first], right)


cdef object _digitize(PyObject** args, Py_ssize_t n, object names):
    """digitize(x, bins, right) of arrays of one dtype in C order, with edges that increase."""
    cdef PyObject* bound[3]
    cdef LazyArray x = ready_array(args, n, LARGE), bins
    cdef bint right = False
    cdef Node made
    cdef int code
    if x is None or not bind(args, n, names, _DIGITIZE, bound) or bound[1] is NULL or not read_flag(bound[2], &right):
        return NotImplemented
    bins = ready_array(bound + 1, 1, LARGE)
    code = x.node.typenum
    if bins is None or bins.node.ndim != 1 or bins.node.typenum != code or not x.node.contiguous \
            or not bins.node.contiguous or code != cnp.NPY_DOUBLE and code != cnp.NPY_LONG:
        return NotImplemented
    made = new_leaf(x.node.ndim, x.node.shape, cnp.NPY_INTP)
    if code == cnp.NPY_DOUBLE:
        if not are_sorted(<double*>first_of(bins), bins.node.size):
            return NotImplemented
        find_bins(<double*>first_of(x), made.size, <double*>first_of(bins), bins.node.size, right,
                  <npy_intp*>made.data)
    else:
        if not are_sorted(<long*>first_of(bins), bins.node.size):
            return NotImplemented
        find_bins(<long*>first_of(x), made.size, <long*>first_of(bins), bins.node.size, right, <npy_intp*>made.data)
    lz_fp_clear()
    return new_base(made)


# ---- values that occur ---------------------------------------------------------------------------------


cdef npy_intp drop_repeated(Number* data, npy_intp n) noexcept:
    """Move the first of equal elements of a sorted line to its front, and of NaNs; return how many there are."""
    cdef npy_intp i, count = 1
    for i in range(1, n):
        if data[i - 1] != data[i - 1]:
            break
        if data[i] != data[i - 1]:
            data[count] = data[i]
            count += 1
    return count


cdef object _unique(PyObject** args, Py_ssize_t n, object names):
    """unique(x): the values, sorted."""
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef cnp.ndarray line
    cdef npy_intp count
    cdef char* data
    cdef Node made
    cdef int code
    if x is None or n != 1 or names is not None or not x.node.contiguous:
        return NotImplemented
    code = x.node.typenum
    if code not in (cnp.NPY_INT, cnp.NPY_LONG, cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        return NotImplemented
    line = cnp.PyArray_SimpleNew(1, &x.node.size, code)
    data = <char*>cnp.PyArray_DATA(line)
    memcpy(data, first_of(x), x.node.size * x.node.itemsize)
    PyArray_Sort(line, 0, QUICKSORT)
    if code == cnp.NPY_INT:
        count = drop_repeated(<int*>data, x.node.size)
    elif code == cnp.NPY_LONG:
        count = drop_repeated(<long*>data, x.node.size)
    elif code == cnp.NPY_FLOAT:
        count = drop_repeated(<float*>data, x.node.size)
    else:
        count = drop_repeated(<double*>data, x.node.size)
    lz_fp_clear()
    made = new_leaf(1, &count, code)
    memcpy(made.data, data, made.span)
    return new_base(made)


cdef int _state() except -1:
    add_native("histogram", _histogram)
    add_native("digitize", _digitize)
    add_native("unique", _unique)
    return 0


_state()
