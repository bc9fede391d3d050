# cython: cdivision=True
# (extents are positive where they divide)
"""Running sums and products along an axis: results are NumPy's, as each comes from the one before it.

    lines     the scanned axis is the densest: a few lines side by side, whose sums do not wait for each other
    rows      another axis is: row after row, cut into pieces whose sums stay in the first cache
"""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.gemm cimport count_parts
from lazyarr._core.node cimport MAX_DIMS
from lazyarr._core.threads cimport Watch, must_stop, run_watched, team_size

import numpy as np

cnp.import_array()

cdef extern from "simd/scanloops.h":
    enum:
        LZ_ABREAST
    ctypedef struct Scan "lz_scan":
        void (*lines)(char* out, npy_intp out_pitch, npy_intp out_step, char* x, npy_intp x_pitch, npy_intp x_step,
                      npy_intp lines, npy_intp n) noexcept nogil
        void (*rows)(char* out, npy_intp out_step, char* x, npy_intp x_step, npy_intp width, npy_intp n) noexcept nogil
    const Scan* lz_find_scan(int product, char kind, npy_intp size) noexcept

cdef enum:
    PIECE = 4096            # bytes of a row
cdef double NS_AN_ELEMENT = 0.5

cdef struct Job:
    const Scan* scan
    npy_intp n, out_step, x_step
    int ndim                # the other axes, at least one; the last is the densest
    npy_intp shape[MAX_DIMS]
    npy_intp out_strides[MAX_DIMS]
    npy_intp x_strides[MAX_DIMS]
    bint in_rows
    npy_intp width, units   # lines, or elements of a row, in a unit; all units
    char* out
    char* x
    Watch watch


def has_scan(ufunc, dtype):
    """Whether `scan` accumulates this ufunc in this dtype."""
    return ufunc in (np.add, np.multiply) and dtype.isnative \
        and lz_find_scan(ufunc is np.multiply, ord(dtype.kind), dtype.itemsize) is not NULL


def scan(cnp.ndarray out, cnp.ndarray x, int axis, bint product):
    """Fill `out` with the running sums or products of x along an axis.

    Parameters
    ----------
    out, x : numpy.ndarray
        Of one shape, with at least one axis, and one dtype, for which `has_scan` holds.
    axis : int
    product : bool

    Returns
    -------
    int
        The floating-point flags that came up.
    """
    cdef Job job
    cdef npy_intp size = cnp.PyArray_ITEMSIZE(x), rest = 1
    cdef double work = <double>cnp.PyArray_SIZE(x) * NS_AN_ELEMENT
    cdef int d, last
    if cnp.PyArray_SIZE(x) == 0:
        return 0
    job.scan = lz_find_scan(product, ord(x.dtype.kind), size)
    job.out, job.x = <char*>cnp.PyArray_DATA(out), <char*>cnp.PyArray_DATA(x)
    job.n, job.out_step, job.x_step = x.shape[axis], cnp.PyArray_STRIDE(out, axis), cnp.PyArray_STRIDE(x, axis)
    order = sorted([d for d in range(x.ndim) if d != axis], key=lambda d: -cnp.PyArray_STRIDE(out, d))
    job.shape[0] = 1
    job.out_strides[0] = job.x_strides[0] = 0
    job.ndim = max(len(order), 1)
    last = job.ndim - 1
    for d, other in enumerate(order):
        job.shape[d] = x.shape[other]
        job.out_strides[d], job.x_strides[d] = cnp.PyArray_STRIDE(out, other), cnp.PyArray_STRIDE(x, other)
    for d in range(last):
        rest *= job.shape[d]
    job.in_rows = job.out_strides[last] == size and job.x_strides[last] == size
    job.width = min(PIECE // size if job.in_rows else LZ_ABREAST, job.shape[last])
    job.units = rest * count_parts(job.shape[last], job.width)
    return run_watched(&job.watch, work, <int>min(<npy_intp>team_size(work), job.units), _share, &job)


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    cdef Job* job = <Job*>whole
    cdef npy_intp unit
    for unit in range(job.units * thread // threads, job.units * (thread + 1) // threads):
        if must_stop(&job.watch, thread):
            break
        _scan_unit(job, unit)


cdef void _scan_unit(Job* job, npy_intp unit) noexcept nogil:
    cdef int last = job.ndim - 1, d
    cdef npy_intp parts = count_parts(job.shape[last], job.width), rest = unit // parts
    cdef npy_intp start = unit % parts * job.width, count = min(job.width, job.shape[last] - start)
    cdef char* out = job.out + start * job.out_strides[last]
    cdef char* x = job.x + start * job.x_strides[last]
    for d in range(last - 1, -1, -1):
        out += rest % job.shape[d] * job.out_strides[d]
        x += rest % job.shape[d] * job.x_strides[d]
        rest = rest // job.shape[d]
    if job.in_rows:
        job.scan.rows(out, job.out_step, x, job.x_step, count, job.n)
    else:
        job.scan.lines(out, job.out_strides[last], job.out_step, x, job.x_strides[last], job.x_step, count, job.n)
