# cython: cdivision=True
# (floats are divided as C divides them)
"""Eager binning: histograms and unique values."""
from cpython.sequence cimport PySequence_Fast_ITEMS
from libc.math cimport isfinite

cimport numpy as cnp

from lazyarr._core.eager.forms cimport (
    LARGE, LazyArray, Loop, Node, PyObject, add_native, as_doubles, bind, first_of, lz_fp_clear, lz_fp_take, memcpy,
    memset, must_report, new_base, new_leaf, new_view, npy_intp, read_integer, read_number, ready_array)
from lazyarr._core.eager.reductions cimport MAX, MIN, fold_line, fold_loop

cnp.import_array()

cdef enum:
    MOST_BINS = 4096        # most bins of an eager histogram

cdef Loop* _smallest = fold_loop(MIN, cnp.NPY_DOUBLE)
cdef Loop* _largest = fold_loop(MAX, cnp.NPY_DOUBLE)


# ---- histograms ----------------------------------------------------------------------------------------


cdef bint find_range(LazyArray x, PyObject* given, double* low, double* high) except -1:
    """Find the outer edges: the given range, or the extrema; return False if NumPy refuses them."""
    if given is not NULL and <object>given is not None:
        if type(<object>given) is not tuple or len(<tuple>given) != 2 \
                or not read_number(PySequence_Fast_ITEMS(<object>given)[0], low) \
                or not read_number(PySequence_Fast_ITEMS(<object>given)[1], high):
            return False
    else:
        fold_line(_smallest, MIN, <char*>low, first_of(x), x.node.size, 8)
        fold_line(_largest, MAX, <char*>high, first_of(x), x.node.size, 8)
    if low[0] == high[0]:
        low[0] -= 0.5
        high[0] += 0.5
    return low[0] < high[0] and isfinite(low[0]) and isfinite(high[0])


cdef bint fill_edges(double* edges, npy_intp bins, double low, double high) noexcept:
    """Write the edges as linspace does; return whether they increase."""
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
    """Count the values in each bin, found by division and corrected at the edges, as NumPy does."""
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


cdef object _histogram(PyObject** args, Py_ssize_t n, object names, int variant):
    """histogram(x, bins, range) of float64, or integers exact in float64, with a number of bins."""
    cdef PyObject* bound[3]
    cdef LazyArray x = ready_array(args, n, LARGE)
    cdef double low = 0, high = 0
    cdef npy_intp bins = 10, edge_count
    cdef Node edges, counts
    if x is None or not bind(args, n, names, ("a", "bins", "range"), 1, bound) \
            or not read_integer(bound[1], 1, MOST_BINS, &bins) \
            or x.node.typenum != cnp.NPY_DOUBLE and not is_exact(x):
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
    return new_base(counts), new_view(new_base(edges), edges, True)  # linspace returns a view


cdef bint is_exact(LazyArray x) noexcept:
    """Return whether contiguous int64 elements are all exact in float64; False for other types."""
    cdef npy_intp i
    cdef long value
    if x.node.typenum != cnp.NPY_LONG or not x.node.contiguous:
        return False
    for i in range(x.node.size):
        value = (<long*>first_of(x))[i]
        if not -(1LL << 52) < value < 1LL << 52:
            return False
    return True


# ---- unique values -----------------------------------------------------------------------------------

ctypedef fused Number:
    int
    long
    float
    double


cdef npy_intp drop_repeated(Number* data, npy_intp n) noexcept:
    """Move the distinct values of a sorted line to its front; return their number. NaNs count as equal."""
    cdef npy_intp i, count = 1
    for i in range(1, n):
        if data[i - 1] != data[i - 1]:
            break
        if data[i] != data[i - 1]:
            data[count] = data[i]
            count += 1
    return count


cdef object _unique(PyObject** args, Py_ssize_t n, object names, int variant):
    """unique(x): the sorted distinct values."""
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
    cnp.PyArray_Sort(line, 0, cnp.NPY_QUICKSORT)
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


add_native("histogram", _histogram)
add_native("unique", _unique)
