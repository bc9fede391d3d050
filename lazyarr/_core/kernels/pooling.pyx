# cython: cdivision=True
# (extents are positive where they divide)
"""Windows over arrays with channels last: pooling and upsampling, and their gradients.

All of them are functions of the pixels under a window: the largest, the mean, a weighted sum; the gradients of linear
ones are weighted sums again, over those positions whose windows cover a pixel. An array has a batch, one to three
spatial axes and channels. An `Axis` (ops/pooling_tables.py) describes what windows cover along a spatial axis, its
arrays indexed by position:

    first, taps     the first pixel of the window, and how many; what would lie outside is no tap
    step            pixels from one tap to the next
    divisor         means: the product of the axes' divides the sum
    offset, weight  weighted sums: tap t counts weight[offset + t] times, for all axes together the product
    number          the number in its window of the first tap, `number_step` more for each further one

Threads share the lines of positions; the lines of few are cut into pieces. simd/pooling.h does one line.
"""
from libc.string cimport memset

cimport numpy as cnp
from numpy cimport npy_int32, npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.threads cimport parallel_for, step_ended, team_size
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.host.workspace cimport new_workspace

import numpy as np

cnp.import_array()

cdef extern from "simd/pooling.h":
    ctypedef struct Windows "lz_windows":
        npy_intp begin, end, channels, rows, pixel, tap
        const char** row
        const npy_intp* first
        const npy_intp* taps
        double divide
        const double* divisor
        const void* scale
        const void* weight
        const npy_intp* offset
        npy_intp number_step
        const npy_intp* number
        npy_int32* row_number
        const char* source
        const char* place
        char* out
        char* place_out
        bint narrow
    ctypedef void (*Line "lz_line")(const Windows*) noexcept nogil
    int LZ_FLOAT, LZ_DOUBLE, LZ_LONGDOUBLE, LZ_I1, LZ_U1, LZ_I2, LZ_U2, LZ_I4, LZ_U4, LZ_I8, LZ_U8
    int LZ_MAX, LZ_MEAN, LZ_MIX, LZ_PLACES, LZ_GIVE_BACK
    int lz_pool_width() noexcept
    Line lz_find_line(int line, int type, int width, npy_intp channels) noexcept

cdef enum:
    PIECES = 4              # least pieces per thread
cdef double NS_A_BYTE = 0.04    # ns per byte of a tap
tunable("pool.byte_ns", &NS_A_BYTE, "ns", 1e-4, 10, "What a byte of a tap costs pooling and upsampling.")

cdef struct Axis:
    npy_intp length         # positions
    npy_intp step, number_step
    npy_intp window         # taps of an unclipped window
    const npy_intp* first
    const npy_intp* taps
    const npy_intp* number
    const npy_intp* offset
    const double* divisor
    const char* weight

cdef struct Job:
    Line line
    Windows windows         # windows of a line, except for what differs between lines
    Axis axis[3]
    npy_intp batch, size, pixels    # itemsize, positions
    npy_intp step[4]        # strides of x's axes
    const char* x
    npy_intp pieces         # pieces per line
    npy_intp most_rows
    bint extended           # weights are long doubles
    char* memory            # memory of all threads
    npy_intp scratch        # bytes per thread

cdef dict _LINES = {
    "max": LZ_MAX, "places": LZ_PLACES, "give back": LZ_GIVE_BACK, "mean": LZ_MEAN, "mix": LZ_MIX}
cdef int _width = lz_pool_width()
cdef npy_intp _ZERO = 0, _ONE = 1
cdef double _WHOLE = 1
cdef long double _WHOLE_EXTENDED = 1


def set_width(int width):
    """Use no vectors, or of 128, 256, 512 bits (0 to 3), at most what the processor has; return the old width."""
    global _width
    before, _width = _width, max(0, min(width, lz_pool_width()))
    return before


def fill(cnp.ndarray out, cnp.ndarray x, tuple axes, str line, cnp.ndarray places=None):
    """Fill `out` with a function of the pixels under windows.

    Parameters
    ----------
    out, x : numpy.ndarray
        [batch, one to three axes, channels] of one dtype: bool, integers, floats from single precision on; complex
        numbers where they are summed. Numbers of taps are int8 if that is enough for the windows, int32 otherwise.
    axes : tuple of Axis
        Weights are doubles, for long doubles and their pairs these.
    line : {"max", "places", "give back", "mean", "mix"}
        The largest, NaN if there is one, and the smallest value there is without taps; the number of the tap that holds
        the first maximum, -1 without taps; the sum of those elements of x whose place it is, where axes describe which
        windows cover a pixel; the sum, divided by the product of the axes' divisors; the weighted sum.
    places : numpy.ndarray, optional
        The numbers that "give back" reads.
    """
    cdef Job job
    memset(&job, 0, sizeof(Job))
    if places is None:
        x = _readable(x)
    else:
        x, places = np.ascontiguousarray(x), np.ascontiguousarray(places)
        job.windows.source, job.windows.place = <const char*>cnp.PyArray_DATA(x), <const char*>cnp.PyArray_DATA(places)
        job.windows.narrow = cnp.PyArray_ITEMSIZE(places) == 1
    if line == "places":
        job.windows.place_out, job.windows.narrow = <char*>cnp.PyArray_DATA(out), cnp.PyArray_ITEMSIZE(out) == 1
    _run(&job, _LINES[line], _as_real(out), _as_real(x), axes)


cdef cnp.ndarray _readable(cnp.ndarray x):
    """Return x, or a copy if channels are not contiguous."""
    if x.shape[x.ndim - 1] > 1 and cnp.PyArray_STRIDE(x, x.ndim - 1) != cnp.PyArray_ITEMSIZE(x) \
            or not x.flags.aligned:
        return np.array(x, order="C")
    return x


cdef cnp.ndarray _as_real(cnp.ndarray x):
    """View complex channels as twice as many real ones."""
    return x.view(x.dtype.char.lower()) if cnp.PyArray_ISCOMPLEX(x) else x


cdef int _type_of(cnp.ndarray x) except -1:
    cdef str kind = x.dtype.kind
    if kind == "f":
        return {"f": LZ_FLOAT, "d": LZ_DOUBLE, "g": LZ_LONGDOUBLE}[x.dtype.char]
    return {1: LZ_I1, 2: LZ_I2, 4: LZ_I4, 8: LZ_I8}[x.itemsize] + (kind != "i")


cdef int _describe(Axis* to, object axis) except -1:
    to.length, to.step, to.window, to.number_step = len(axis.first), axis.step, axis.window, axis.number_step
    to.first, to.taps = <npy_intp*>_data(axis.first), <npy_intp*>_data(axis.taps)
    to.number, to.offset = <npy_intp*>_data(axis.number), <npy_intp*>_data(axis.offset)
    to.divisor, to.weight = <double*>_data(axis.divisor), <char*>_data(axis.weight)
    return 0


cdef void* _data(array) except? NULL:
    return NULL if array is None else cnp.PyArray_DATA(<cnp.ndarray?>array)


cdef void _single(Axis* axis, Axis* like, bint extended) noexcept:
    """Set up a missing axis: one position with one tap."""
    axis.length = axis.step = axis.window = 1
    axis.number_step = 0
    axis.first = axis.number = axis.offset = &_ZERO
    axis.taps = &_ONE
    axis.divisor = &_WHOLE
    axis.weight = NULL if like.weight is NULL else <char*>&_WHOLE_EXTENDED if extended else <char*>&_WHOLE


cdef int _run(Job* job, int line, cnp.ndarray out, cnp.ndarray x, tuple axes) except -1:
    cdef int d, missing = 3 - <int>len(axes), threads
    cdef npy_intp lines, i, count, most
    cdef double work, taps = 1
    cdef Windows* w = &job.windows
    cdef Buffer memory
    if cnp.PyArray_SIZE(out) == 0:
        return 0
    job.size, job.x = cnp.PyArray_ITEMSIZE(x), <const char*>cnp.PyArray_DATA(x)
    job.extended = x.dtype.char == "g"
    job.batch, job.step[0] = x.shape[0], x.strides[0]
    for d in range(3 - missing):
        _describe(&job.axis[missing + d], axes[d])
        job.step[missing + d + 1] = x.strides[d + 1]
    for d in range(missing):
        _single(&job.axis[d], &job.axis[2], job.extended)
        job.step[d + 1] = 0
    w.channels, w.out = x.shape[x.ndim - 1], <char*>cnp.PyArray_DATA(out)
    job.line = lz_find_line(line, _type_of(x), _width, w.channels)
    w.pixel, w.tap = job.step[3], job.step[3] * job.axis[2].step
    w.first, w.taps, w.number, w.offset = job.axis[2].first, job.axis[2].taps, job.axis[2].number, job.axis[2].offset
    w.divisor, w.weight, w.number_step = job.axis[2].divisor, job.axis[2].weight, job.axis[2].number_step
    job.most_rows = 1
    for d in range(3):
        count = most = 0
        for i in range(job.axis[d].length):
            count += job.axis[d].taps[i]
            most = max(most, job.axis[d].taps[i])
        taps *= count
        if d < 2:
            job.most_rows *= most
    work = taps * job.batch * w.channels * job.size * NS_A_BYTE
    threads = team_size(work)
    lines = job.batch * job.axis[0].length * job.axis[1].length
    job.pieces = 1
    if threads > 1 and lines < PIECES * threads:
        job.pieces = min((PIECES * threads + lines - 1) // lines, job.axis[2].length)
    # memory per thread: addresses of the lines of taps, their weights, their numbers
    job.scratch = (job.most_rows * (sizeof(char*) + sizeof(long double) + sizeof(npy_int32)) + 127) // 64 * 64
    memory = new_workspace(threads * job.scratch)
    job.memory = memory.data
    with nogil:
        parallel_for(lines * job.pieces, threads, _pool_units, job)
    step_ended(work)
    return 0


cdef void _pool_units(void* whole, int thread, npy_intp first, npy_intp end) noexcept nogil:
    """Compute whole lines of positions, or pieces of them."""
    cdef Job* job = <Job*>whole
    cdef char* memory = job.memory + thread * job.scratch
    cdef Windows w = job.windows
    cdef Axis* outer = &job.axis[0]
    cdef Axis* inner = &job.axis[1]
    cdef npy_intp length = job.axis[2].length, unit, line, piece, image, p0, p1, t0, t1, r, number
    cdef const char* x
    cdef double* scale = <double*>memory
    cdef long double* wide_scale = <long double*>memory
    # widest first, so that all are aligned
    w.scale = memory
    w.row = <const char**>(memory + job.most_rows * sizeof(long double))
    w.row_number = <npy_int32*>(w.row + job.most_rows)
    for unit in range(first, end):
        line, piece = unit // job.pieces, unit % job.pieces
        p1 = line % inner.length
        p0 = line // inner.length % outer.length
        image = line // inner.length // outer.length
        x = job.x + image * job.step[0] + outer.first[p0] * job.step[1] + inner.first[p1] * job.step[2]
        r = 0
        for t0 in range(outer.taps[p0]):
            for t1 in range(inner.taps[p1]):
                w.row[r] = x + t0 * outer.step * job.step[1] + t1 * inner.step * job.step[2]
                if w.number is not NULL:
                    number = (outer.number[p0] + t0 * outer.number_step) * inner.window
                    number = (number + inner.number[p1] + t1 * inner.number_step) * job.axis[2].window
                    w.row_number[r] = <npy_int32>number
                if w.weight is not NULL and job.extended:
                    wide_scale[r] = (<long double*>outer.weight)[outer.offset[p0] + t0] \
                        * (<long double*>inner.weight)[inner.offset[p1] + t1]
                elif w.weight is not NULL:
                    scale[r] = (<double*>outer.weight)[outer.offset[p0] + t0] \
                        * (<double*>inner.weight)[inner.offset[p1] + t1]
                r += 1
        w.rows = r
        if w.divisor is not NULL:
            w.divide = outer.divisor[p0] * inner.divisor[p1]
        w.begin, w.end = length * piece // job.pieces, length * (piece + 1) // job.pieces
        w.out = job.windows.out + line * length * w.channels * job.size
        if job.windows.place_out is not NULL:
            w.place_out = job.windows.place_out + line * length * w.channels * (1 if w.narrow else sizeof(npy_int32))
        job.line(&w)
