# cython: cdivision=True
# (extents are positive where they divide)
"""Repeat and tile, along any axes in one pass.

Unrepeated axes are merged with their neighbours first. The last axes make a *block* that stays in the cache: its rows
are repeated in place, then copied as often as needed, and so on outwards. Then the block is copied to its other places.

    repeat [a b] 2 x 3     aaabbb  row               tile     ababab  row
                           aaabbb  its copy                   ababab  its copy
"""
from libc.string cimport memcpy

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.threads cimport parallel_for, step_ended, team_size
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.ir.node cimport MAX_DIMS

import numpy as np

cnp.import_array()

cdef extern from "simd/copy.h":
    void lz_repeat(char* dst, char* src, npy_intp n, npy_intp times, npy_intp size) noexcept nogil

cdef enum:
    PIECE = 16384           # bytes of a long row per unit of work
    BLOCK = 65536           # bytes of output assembled in the cache
cdef double NS_A_BYTE = 0.12
tunable("repeat.byte_ns", &NS_A_BYTE, "ns", 1e-4, 10, "What a byte of the result costs repeat and tile.")

cdef struct Job:
    int ndim                        # merged axes
    int inner                       # first axis of a block
    npy_intp length[MAX_DIMS]
    npy_intp times[MAX_DIMS]
    npy_intp source_step[MAX_DIMS]  # strides of x
    npy_intp step[MAX_DIMS]         # strides of the output
    npy_intp again[MAX_DIMS]        # bytes between copies of an element, or of the axis
    bint tiled
    npy_intp size                   # itemsize
    npy_intp pieces                 # pieces of a block that is one long row
    npy_intp piece                  # elements per piece
    npy_intp units                  # blocks, or pieces of rows
    char* source
    char* target


def fill(cnp.ndarray out, cnp.ndarray x, tuple times, bint tiled):
    """Fill C-contiguous `out` with the elements of x repeated along each axis, or with tiled copies of x.

    Parameters
    ----------
    out : numpy.ndarray
        Of shape x.shape * times.
    x : numpy.ndarray
        With at least one axis and no objects.
    times : tuple of int
        For each axis; positive.
    tiled : bool
    """
    cdef Job job
    cdef int threads
    cdef double work = <double>cnp.PyArray_NBYTES(out) * NS_A_BYTE
    if cnp.PyArray_SIZE(out) == 0:
        return
    x = np.ascontiguousarray(x)
    job.source, job.target = <char*>cnp.PyArray_DATA(x), <char*>cnp.PyArray_DATA(out)
    job.size, job.tiled = cnp.PyArray_ITEMSIZE(x), tiled
    job.units = _lay_out(&job, x, times)
    threads = <int>min(<npy_intp>team_size(work), job.units)
    with nogil:
        parallel_for(job.units, threads, _spread_units, &job)
    step_ended(work)


cdef void _spread_units(void* whole, int thread, npy_intp first, npy_intp end) noexcept nogil:
    cdef npy_intp unit
    for unit in range(first, end):
        _spread_unit(<Job*>whole, unit)


cdef npy_intp _lay_out(Job* job, cnp.ndarray x, tuple times) except -1:
    """Merge axes and compute the output strides; return the number of blocks, or of pieces of long rows."""
    cdef int d, last
    cdef npy_intp n, r, source_step, step, units = 1
    job.ndim = 0
    for d in range(x.ndim):
        n, r = x.shape[d], times[d]
        if job.ndim and (r == 1 if job.tiled else job.times[job.ndim - 1] == 1):
            job.length[job.ndim - 1] *= n
            if not job.tiled:
                job.times[job.ndim - 1] = r
        else:
            job.length[job.ndim], job.times[job.ndim] = n, r
            job.ndim += 1
    last = job.ndim - 1
    job.inner = last
    source_step = step = job.size
    for d in range(last, -1, -1):
        job.source_step[d] = source_step
        job.step[d] = step if job.tiled else step * job.times[d]
        job.again[d] = step * job.length[d] if job.tiled else step
        source_step *= job.length[d]
        step *= job.length[d] * job.times[d]
        if step <= BLOCK:
            job.inner = d
    for d in range(job.inner):
        units *= job.length[d]
    job.piece = job.length[last]
    if job.inner == last and not job.tiled:
        job.piece = max(PIECE // job.step[last], <npy_intp>1)
    job.pieces = (job.length[last] + job.piece - 1) // job.piece
    return units * job.pieces


cdef void _spread_unit(Job* job, npy_intp unit) noexcept nogil:
    """Write a block, or a piece of a row, once, then copy it to its other places."""
    cdef npy_intp rest = unit // job.pieces, start = unit % job.pieces * job.piece, nbytes, i
    cdef int last = job.ndim - 1, d
    cdef npy_intp index[MAX_DIMS]
    cdef char* source = job.source
    cdef char* first = job.target
    cdef char* place
    for d in range(job.inner - 1, -1, -1):
        i = rest % job.length[d]
        rest = rest // job.length[d]
        source += i * job.source_step[d]
        first += i * job.step[d]
        index[d] = 0
    if job.pieces > 1:
        first += start * job.step[last]
        nbytes = _spread_row(job, first, source + start * job.size, min(job.piece, job.length[last] - start))
    else:
        nbytes = _spread_block(job, job.inner, first, source)
    place = first
    while True:
        d = job.inner - 1
        while d >= 0:
            index[d] += 1
            place += job.again[d]
            if index[d] < job.times[d]:
                break
            place -= job.again[d] * job.times[d]
            index[d] = 0
            d -= 1
        if d < 0:
            return
        memcpy(place, first, nbytes)


cdef npy_intp _spread_block(Job* job, int d, char* target, char* source) noexcept nogil:
    """Write the axes from d on; return their bytes."""
    cdef npy_intp i, k
    cdef char* place
    if d == job.ndim - 1:
        return _spread_row(job, target, source, job.length[d])
    for i in range(job.length[d]):
        place = target + i * job.step[d]
        _spread_block(job, d + 1, place, source + i * job.source_step[d])
        if not job.tiled:
            for k in range(1, job.times[d]):
                memcpy(place + k * job.again[d], place, job.again[d])
    if job.tiled:
        for k in range(1, job.times[d]):
            memcpy(target + k * job.again[d], target, job.again[d])
    return job.length[d] * job.times[d] * (job.step[d] if job.tiled else job.again[d])


cdef npy_intp _spread_row(Job* job, char* target, char* source, npy_intp count) noexcept nogil:
    cdef npy_intp nbytes = count * job.times[job.ndim - 1] * job.size, done = count * job.size
    if not job.tiled:
        lz_repeat(target, source, count, job.times[job.ndim - 1], job.size)
        return nbytes
    memcpy(target, source, done)
    while done < nbytes:
        memcpy(target + done, target, min(done, nbytes - done))
        done = min(2 * done, nbytes)
    return nbytes
