# cython: cdivision=True
# (extents are positive where they divide)
"""Tests for symmetric, Hermitian or triangular matrices, square by square, until one element fails.

    . . a b     a square above the diagonal and its counterpart below fit the cache together,
    . . c d     whatever the strides of the matrix
    a c . .
    b d . .
"""
cimport numpy as cnp
from numpy cimport npy_int8, npy_int16, npy_int32, npy_int64, npy_intp

from lazyarr._core.host.threads cimport run_team, step_ended, team_size
from lazyarr._core.ir.node cimport MAX_DIMS

import numpy as np

cnp.import_array()

ctypedef bint (*Square)(void* unused, char* x, npy_intp row, npy_intp column, npy_intp i, npy_intp rows, npy_intp j,
                        npy_intp columns, int kind) noexcept nogil

cdef enum:
    SIDE = 32
    SYMMETRIC = 0
    HERMITIAN = 1
    LOWER = 2
    UPPER = 3
cdef double NS_A_BYTE = 0.2

cdef struct Job:
    char* x
    int ndim                        # stack axes
    npy_intp shape[MAX_DIMS]
    npy_intp strides[MAX_DIMS]
    npy_intp n, m                   # rows, columns
    npy_intp row, column            # strides
    npy_intp bands                  # bands of SIDE rows per matrix
    npy_intp units                  # total number of bands
    int kind                        # the predicate
    Square square
    char* holds                     # result by matrix


def fill(cnp.ndarray out, cnp.ndarray x, int what):
    """Fill `out` with whether each matrix of x satisfies a predicate.

    Parameters
    ----------
    out : numpy.ndarray
        Of bools, with the shape of x without the last two axes.
    x : numpy.ndarray
        Of bools, integers, or real or complex numbers of single or double precision; square for symmetries.
    what : int
        0: symmetric; 1: Hermitian; 2: lower triangular; 3: upper triangular.
    """
    cdef Job job
    cdef double work = <double>cnp.PyArray_NBYTES(x) * NS_A_BYTE
    cdef int d, threads
    if not cnp.PyArray_ISALIGNED(x):
        x = np.array(x)
    job.x, job.holds, job.ndim = <char*>cnp.PyArray_DATA(x), <char*>cnp.PyArray_DATA(out), x.ndim - 2
    for d in range(job.ndim):
        job.shape[d], job.strides[d] = x.shape[d], cnp.PyArray_STRIDE(x, d)
    job.n, job.m = x.shape[job.ndim], x.shape[job.ndim + 1]
    job.row, job.column = cnp.PyArray_STRIDE(x, job.ndim), cnp.PyArray_STRIDE(x, job.ndim + 1)
    job.bands = (job.n + SIDE - 1) // SIDE
    job.units = cnp.PyArray_SIZE(out) * job.bands
    job.kind = what if x.dtype.kind == "c" or what != HERMITIAN else SYMMETRIC
    job.square = _square_of(cnp.PyArray_ITEMSIZE(x) + {"f": 100, "c": 200}.get(x.dtype.kind, 0))
    out[...] = True
    threads = <int>max(min(<npy_intp>team_size(work), job.units), <npy_intp>1)
    with nogil:
        run_team(threads, _share, &job)
    step_ended(work)


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    """Deal bands alternately: those of a triangle differ in length."""
    cdef Job* job = <Job*>whole
    cdef npy_intp unit = thread, matrix, rest, i, j, last
    cdef char* x
    cdef int d
    while unit < job.units:
        matrix, i = unit // job.bands, unit % job.bands * SIDE
        x, rest = job.x, matrix
        for d in range(job.ndim - 1, -1, -1):
            x += rest % job.shape[d] * job.strides[d]
            rest = rest // job.shape[d]
        j, last = i, job.m
        if job.kind == UPPER:
            j, last = 0, min(i + SIDE, job.m)
        while j < last and job.holds[matrix]:
            if not job.square(NULL, x, job.row, job.column, i, min(<npy_intp>SIDE, job.n - i), j,
                              min(<npy_intp>SIDE, last - j), job.kind):
                job.holds[matrix] = 0
            j += SIDE
        unit += threads


ctypedef float complex floatcomplex
ctypedef double complex doublecomplex

ctypedef fused Number:
    npy_int8
    npy_int16
    npy_int32
    npy_int64
    float
    double
    floatcomplex
    doublecomplex


cdef bint _square(Number* unused, char* x, npy_intp row, npy_intp column, npy_intp i, npy_intp rows, npy_intp j,
                  npy_intp columns, int kind) noexcept nogil:
    """Return whether rows [i, i + rows), columns [j, j + columns) and their counterparts satisfy the predicate."""
    cdef npy_intp r, c
    cdef Number a, b
    for r in range(i, i + rows):
        for c in range(j, j + columns):
            a = (<Number*>(x + r * row + c * column))[0]
            if kind == LOWER or kind == UPPER:
                if (c > r if kind == LOWER else c < r) and a != 0:
                    return False
                continue
            b = (<Number*>(x + c * row + r * column))[0]
            if Number is floatcomplex or Number is doublecomplex:
                if kind == HERMITIAN:
                    b = b.conjugate()
            if a != b:
                return False
    return True


cdef Square _square_of(int code) noexcept nogil:
    """Return the loop for an itemsize, plus 100 for real, 200 for complex numbers."""
    if code == 1:
        return <Square>_square[npy_int8]
    if code == 2:
        return <Square>_square[npy_int16]
    if code == 4:
        return <Square>_square[npy_int32]
    if code == 8:
        return <Square>_square[npy_int64]
    if code == 104:
        return <Square>_square[float]
    if code == 108:
        return <Square>_square[double]
    if code == 208:
        return <Square>_square[floatcomplex]
    return <Square>_square[doublecomplex]
