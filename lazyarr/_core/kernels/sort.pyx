# cython: cdivision=True
# (extents are positive where they divide)
"""Sorting along an axis by NumPy's line functions, on all threads.

    many lines    threads share them; strided lines are gathered several at a time, so that cache lines are read
                  once, and scattered the same way
    a long line   threads sort a part each, then merge them round by round, all threads in each round:

        parts      [a....][b....][c....][d....]
        round 1    [ab..........][cd..........]     each thread writes one piece of the round's result
        round 2    [abcd......................]

A line is merged only if the result is unique: if the sort is stable, or equal elements are indistinguishable. The
latter holds for integers, and floats without NaN and -0.0, but not for unstable argsorts.
"""
cimport numpy as cnp
from libc.string cimport memset
from numpy cimport npy_intp, npy_uint64

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.threads cimport parallel_for, run_team, step_ended, team_size
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.node cimport MAX_DIMS

import numpy as np

cnp.import_array()

ctypedef int (*Sort)(void* start, npy_intp n, void* array) noexcept nogil
ctypedef int (*ArgSort)(void* start, npy_intp* order, npy_intp n, void* array) noexcept nogil

cdef extern from *:
    """
    #include <numpy/arrayobject.h>
    #include <numpy/npy_2_compat.h>
    static void *lz_sort(PyArrayObject *array, int kind)
    {
        return (void *)PyDataType_GetArrFuncs(PyArray_DESCR(array))->sort[kind];
    }
    static void *lz_argsort(PyArrayObject *array, int kind)
    {
        return (void *)PyDataType_GetArrFuncs(PyArray_DESCR(array))->argsort[kind];
    }
    """
    void* lz_sort(cnp.ndarray array, int kind)
    void* lz_argsort(cnp.ndarray array, int kind)

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil

cdef extern from "simd/transpose.h":
    void lz_transpose(char* out, npy_intp opitch, char* x, npy_intp xpitch, npy_intp rows, npy_intp n,
                      npy_intp size) noexcept nogil

cdef extern from "simd/merge_sort.h":
    ctypedef void (*Merge "lz_merge")(void* values, void* runs, npy_intp na, npy_intp nb, void* result, npy_intp first,
                                      npy_intp last) noexcept nogil
    Merge lz_find_merge(char kind, npy_intp size, int indices) noexcept

cdef enum:
    STABLE = 2              # NumPy's number of the stable sort
    LONG = 1 << 16          # shortest line that is divided
    UNIT = 4096             # elements per unit if lines are short
    GATHERED = 1 << 17      # bytes of lines gathered together

cdef double NS = 2, NS_A_LEVEL = 0.4, ARGSORT = 4   # ns per element; per level of log2(n); factor of argsort

cdef struct Job:
    Sort sort               # exactly one of these is set
    ArgSort argsort
    void* array             # passed to NumPy's functions, which ignore it for numbers
    npy_intp n, size, x_step, out_size, out_step
    int ndim                # the other axes, at least one; blocks are along the last
    npy_intp shape[MAX_DIMS]
    npy_intp x_strides[MAX_DIMS]
    npy_intp out_strides[MAX_DIMS]
    npy_intp lines, block, blocks, units    # total lines, lines per unit, units per row of lines, total units
    char* x
    char* out
    char* memory            # memory of all threads
    npy_intp scratch        # bytes per thread
    npy_intp pitch          # stride of gathered lines
    int failed
    # for one long line
    Merge merge
    bint checks             # whether to check for special values
    npy_intp parts, width   # number of parts, and how many are merged into one
    char* values
    char* source
    char* target
    bint special            # values include NaN or -0.0


def fill(cnp.ndarray out, cnp.ndarray x, int axis, int kind, bint indices):
    """Fill `out` with the sorted lines of x along an axis, or with the sorting indices.

    Parameters
    ----------
    out, x : numpy.ndarray
        Of one shape; x numeric and native, `out` of its dtype or NumPy's index type.
    axis : int
    kind : int
        NumPy's number of the algorithm: 0 for quicksort, 2 for a stable sort.
    indices : bool
    """
    cdef Job job
    memset(&job, 0, sizeof(Job))
    if indices:
        job.argsort = <ArgSort>lz_argsort(x, kind)
    else:
        job.sort = <Sort>lz_sort(x, kind)
    if cnp.PyArray_SIZE(x):
        _run(&job, out, x, axis, kind)


cdef int _run(Job* job, cnp.ndarray out, cnp.ndarray x, int axis, int kind) except -1:
    cdef double work
    cdef int threads
    cdef npy_intp levels = 1
    cdef Buffer memory
    if not cnp.PyArray_ISALIGNED(x):
        x = np.array(x)
    job.array = <void*>x
    job.n, job.size, job.out_size = x.shape[axis], cnp.PyArray_ITEMSIZE(x), cnp.PyArray_ITEMSIZE(out)
    job.x, job.out = <char*>cnp.PyArray_DATA(x), <char*>cnp.PyArray_DATA(out)
    _lay_out(job, out, x, axis)
    while job.n >> levels:
        levels += 1
    work = cnp.PyArray_SIZE(x) * (NS + NS_A_LEVEL * levels) * (1 if job.argsort is NULL else ARGSORT)
    threads = team_size(work)
    if job.units < threads and job.n >= LONG and _can_merge(job, x, kind):
        memory = new_workspace(job.n * (job.size + 2 * job.out_size) + 128)
        job.memory = memory.data
        with nogil:
            _long_lines(job, threads)
    else:
        threads = <int>min(<npy_intp>threads, job.units)
        memory = new_workspace(threads * job.scratch + 64)
        job.memory = memory.data
        with nogil:
            parallel_for(job.units, threads, _sort_units, job)
    step_ended(work)
    if job.failed:
        raise MemoryError()
    return 0


cdef int _lay_out(Job* job, cnp.ndarray out, cnp.ndarray x, int axis) except -1:
    """Order the other axes by decreasing output stride, and choose blocks of lines along the last."""
    cdef int d
    cdef npy_intp near, gathered = 0
    order = sorted([d for d in range(x.ndim) if d != axis], key=lambda d: -cnp.PyArray_STRIDE(out, d))
    job.x_step, job.out_step = cnp.PyArray_STRIDE(x, axis), cnp.PyArray_STRIDE(out, axis)
    job.shape[0] = 1
    job.x_strides[0] = job.out_strides[0] = 0
    job.ndim = max(len(order), 1)
    for d, other in enumerate(order):
        job.shape[d] = x.shape[other]
        job.x_strides[d], job.out_strides[d] = cnp.PyArray_STRIDE(x, other), cnp.PyArray_STRIDE(out, other)
    job.lines, near = cnp.PyArray_SIZE(x) // job.n, job.shape[job.ndim - 1]
    job.block = max(UNIT // job.n, <npy_intp>1)
    # a few bytes of padding keep power-of-two lines off the same cache sets
    job.pitch = (job.n * job.size + 63) // 64 * 64 + 64
    if job.out_step != job.out_size:
        gathered = job.n * job.out_size
    if job.sort is NULL and job.x_step != job.size:
        gathered += job.pitch
    if gathered or job.x_step != job.size:
        job.block = max(GATHERED // (job.n * job.size), 64 // job.size, <npy_intp>1)
    job.block = min(job.block, near)
    job.blocks = (near + job.block - 1) // job.block
    job.units = job.lines // near * job.blocks
    job.scratch = job.block * (job.pitch + job.n * job.out_size + 64)
    return 0


cdef void _sort_units(void* whole, int thread, npy_intp first, npy_intp end) noexcept nogil:
    cdef Job* job = <Job*>whole
    cdef npy_intp unit, start, near = job.shape[job.ndim - 1]
    cdef char* x
    cdef char* out
    for unit in range(first, end):
        start = unit % job.blocks * job.block
        _locate(job, unit // job.blocks * near + start, &x, &out)
        _sort_block(job, out, x, min(job.block, near - start), job.memory + thread * job.scratch)


cdef void _locate(Job* job, npy_intp line, char** x, char** out) noexcept nogil:
    """Compute the addresses of a line."""
    cdef int d
    x[0], out[0] = job.x, job.out
    for d in range(job.ndim - 1, -1, -1):
        x[0] += line % job.shape[d] * job.x_strides[d]
        out[0] += line % job.shape[d] * job.out_strides[d]
        line = line // job.shape[d]


cdef void _sort_block(Job* job, char* out, char* x, npy_intp lines, char* scratch) noexcept nogil:
    """Gather strided lines, sort, scatter."""
    cdef int last = job.ndim - 1
    cdef npy_intp i, x_pitch = job.x_strides[last], out_pitch = job.out_strides[last]
    cdef char* sorted_lines = out
    cdef npy_intp sorted_pitch = out_pitch
    if job.out_step != job.out_size:
        sorted_lines = scratch
        sorted_pitch = job.pitch if job.argsort is NULL else job.n * job.out_size
        scratch += lines * sorted_pitch
    if job.sort is not NULL:
        _gather(job, sorted_lines, sorted_pitch, x, lines)
    elif job.x_step != job.size:
        _gather(job, scratch, job.pitch, x, lines)
        x, x_pitch = scratch, job.pitch
    for i in range(lines):
        _sort_line(job, sorted_lines + i * sorted_pitch, x + i * x_pitch, 0, job.n)
    if sorted_lines == out:
        return
    if out_pitch == job.out_size:
        lz_transpose(out, job.out_step, sorted_lines, sorted_pitch, lines, job.n, job.out_size)
        return
    for i in range(lines):
        lz_copy1(out + i * out_pitch, job.out_step, sorted_lines + i * sorted_pitch, job.out_size, job.n, job.out_size)


cdef void _gather(Job* job, char* lines, npy_intp pitch, char* x, npy_intp count) noexcept nogil:
    cdef npy_intp i, x_pitch = job.x_strides[job.ndim - 1]
    if x_pitch == job.size and job.x_step != job.size:
        lz_transpose(lines, pitch, x, job.x_step, job.n, count, job.size)
        return
    for i in range(count):
        lz_copy1(lines + i * pitch, job.size, x + i * x_pitch, job.x_step, job.n, job.size)


cdef void _sort_line(Job* job, char* out, char* values, npy_intp first, npy_intp last) noexcept nogil:
    """Sort elements [first, last) of a line: `out` in place, or the indices of `values` into `out`."""
    cdef npy_intp i
    cdef int failed
    out += first * job.out_size
    if last - first < 2 and job.argsort is NULL:
        return
    if job.argsort is NULL:
        failed = job.sort(out, last - first, job.array)
    else:
        for i in range(last - first):
            (<npy_intp*>out)[i] = first + i
        failed = job.argsort(values, <npy_intp*>out, last - first, job.array)
    if failed:
        job.failed = 1


# ---- long lines -----------------------------------------------------------------------------------------


cdef void _long_lines(Job* job, int threads) noexcept nogil:
    """Sort one line after the other, on all threads."""
    cdef npy_intp i
    cdef char* x
    cdef char* out
    cdef char* other
    cdef int rounds = 0
    cdef npy_intp bytes_out = (job.n * job.out_size + 63) // 64 * 64
    job.parts = threads
    while 1 << rounds < threads:
        rounds += 1
    for i in range(job.lines):
        _locate(job, i, &x, &out)
        job.values, job.target = x, out if job.out_step == job.out_size else job.memory
        other = job.memory + bytes_out
        if job.argsort is not NULL and job.x_step != job.size:
            job.values = other + bytes_out
            lz_copy1(job.values, job.size, x, job.x_step, job.n, job.size)
        if rounds % 2:  # so that the last round writes to the target
            job.target, other = other, job.target
        job.special = False
        run_team(threads, _sort_part, job)
        if job.special:  # the result is not unique: use NumPy's, from the original values
            lz_copy1(job.target, job.size, x, job.x_step, job.n, job.size)
            _sort_line(job, job.target, job.values, 0, job.n)
            lz_copy1(out, job.out_step, job.target, job.out_size, job.n, job.out_size)
            continue
        job.width = 1
        while job.width < threads:
            job.source, job.target, other = job.target, other, job.target
            parallel_for(job.n, threads, _merge_part, job)
            job.width *= 2
        if job.target != out:
            lz_copy1(out, job.out_step, job.target, job.out_size, job.n, job.out_size)


cdef inline npy_intp _bound(Job* job, npy_intp part) noexcept nogil:
    """Return the start of a part."""
    return job.n * min(part, job.parts) // job.parts


cdef void _sort_part(void* whole, int thread, int threads) noexcept nogil:
    cdef Job* job = <Job*>whole
    cdef npy_intp first = _bound(job, thread), last = _bound(job, thread + 1)
    if job.argsort is NULL:
        lz_copy1(job.target + first * job.size, job.size, job.values + first * job.x_step, job.x_step, last - first,
                 job.size)
        if job.checks and not _is_plain(<npy_uint64*>(job.target + first * job.size), last - first):
            job.special = True
            return
    _sort_line(job, job.target, job.values, first, last)


cdef void _merge_part(void* whole, int thread, npy_intp low, npy_intp high) noexcept nogil:
    """Merge this thread's piece of the round's result, which may span two pairs of runs."""
    cdef Job* job = <Job*>whole
    cdef npy_intp pair = 0, begin, middle, end, size = job.out_size
    while pair < job.parts:
        begin, middle = _bound(job, pair), _bound(job, pair + job.width)
        end = _bound(job, pair + 2 * job.width)
        if low < end and high > begin:
            job.merge(job.values, job.source + begin * size, middle - begin, end - middle,
                      job.target + begin * size, max(low, begin) - begin, min(high, end) - begin)
        pair += 2 * job.width


cdef bint _is_plain(npy_uint64* values, npy_intp n) noexcept nogil:
    """Return whether float64 values, given as bits, include neither NaN nor -0.0."""
    cdef npy_intp i
    cdef npy_uint64 found = 0
    for i in range(n):
        found |= ((values[i] & 0x7fffffffffffffffu) > 0x7ff0000000000000u) | (values[i] == 0x8000000000000000u)
    return not found


cdef bint _can_merge(Job* job, cnp.ndarray x, int kind) except -1:
    """Return whether parts of a line may be merged, and set up how."""
    cdef str letter = x.dtype.kind
    cdef bint indices = job.argsort is not NULL
    # NumPy's quicksort of small types is as fast as two merged ones
    if kind != STABLE and (indices or job.size < 8):
        return False
    job.merge = lz_find_merge(ord(letter), job.size, indices)
    job.checks = letter == "f" and kind != STABLE
    return job.merge is not NULL
