# cython: cdivision=True
# (extents are positive where they divide)
"""Elements at indices: x[i, j], take and take_along_axis, in one pass on all threads.

The result has *joined* axes, outermost in memory, along which index arrays say where in x to look (`index_lookup`), and
behind them the axes of a *block* of x that is copied for each place as it is:

    x[:, i]            block: the first axis of x
    take(x, i, 1)      block: x's axes from the third on
    take_along_axis    block: one element

Offsets in x are computed for many places at once, then their blocks are copied; single elements are copied as their
indices are read.
"""
cimport numpy as cnp
from libc.string cimport memcpy, memset
from numpy cimport npy_intp, npy_uint8, npy_uint16, npy_uint32, npy_uint64, npy_uintp

from lazyarr._core.host.threads cimport parallel_for, step_ended, team_size
from lazyarr._core.ir.overlap cimport copy_nd
from lazyarr._core.kernels.index_lookup cimport (
    MAX_INDICES, PLACES, RAISE, Block, Index, Places, add_indices, index_at, set_block, set_places, visit_places)

import numpy as np

cnp.import_array()

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil
    void lz_prefetch(char* p, npy_intp n) noexcept nogil

cdef enum:
    AHEAD = 16              # prefetch distance in elements
    COLUMN = 64             # elements of a strided block copied for many places before the next ones
cdef double NS_A_PLACE = 1.5, NS_A_BYTE = 0.1

cdef struct Job:
    char* x
    char* out
    npy_intp size                   # itemsize
    Places places
    Block block
    npy_intp run                    # contiguous bytes of a block
    npy_intp units
    bint single                     # single elements by a single index
    npy_intp columns                # pieces of a strided block; 0: blocks are contiguous
    bint outside                    # some index is out of bounds


def gather(cnp.ndarray out, cnp.ndarray x, tuple indices, tuple joined, tuple walked, tuple indexed, tuple block,
           int mode=0):
    """Fill `out` with the blocks of x at the given indices; return False if one is out of bounds.

    Parameters
    ----------
    out, x : numpy.ndarray
        Of one dtype without objects. `out` has no gaps; in memory the joined axes lie outermost, behind them the other
        axes.
    indices : tuple of numpy.ndarray
        Of NumPy's index type; each broadcasts to the shape of the joined axes.
    joined : tuple of int
        Extents of the joined axes.
    walked : tuple of int
        For each joined axis the axis of x it walks along, or -1. Of an extent of 1 the one element is taken again.
    indexed : tuple of int
        For each index the axis of x.
    block : tuple of int
        The other axes of x, in their order in the memory of `out`.
    mode : int
        What to do about indices out of bounds: 0 to return, 1 to wrap, 2 to clip.
    """
    cdef Job job
    cdef double work
    cdef int threads
    memset(&job, 0, sizeof(Job))
    if cnp.PyArray_SIZE(out) == 0 or cnp.PyArray_SIZE(x) == 0 or len(indices) > MAX_INDICES:
        return False
    if not cnp.PyArray_ISALIGNED(x):
        x = np.array(x, order="K")
    job.x, job.out, job.size = <char*>cnp.PyArray_DATA(x), <char*>cnp.PyArray_DATA(out), x.itemsize
    held = set_places(&job.places, x, indices, joined, walked, indexed, mode)
    set_block(&job.block, x, block, None)
    job.run = job.block.size * job.size
    if job.block.ndim == 1 and job.block.strides[0] == job.size:
        job.block.ndim = 0
    job.units = (job.places.count + PLACES - 1) // PLACES
    if job.block.ndim == 1:
        job.columns = (job.block.shape[0] + COLUMN - 1) // COLUMN
        job.units *= job.columns
    job.single = job.places.nindices == 1 and job.places.mode == RAISE and job.run == job.size <= 8
    work = job.places.count * (NS_A_PLACE * max(<int>len(held), 1) + NS_A_BYTE * job.run)
    threads = <int>min(<npy_intp>team_size(work), job.units)
    with nogil:
        parallel_for(job.units, threads, _gather_units, &job)
    step_ended(work)
    return not job.outside


cdef struct Chunk:
    Job* job
    npy_intp* offsets           # offsets of the next places
    char* out                   # their elements in `out`


cdef void _gather_units(void* whole, int thread, npy_intp first_unit, npy_intp end) noexcept nogil:
    cdef Job* job = <Job*>whole
    cdef npy_intp offsets[PLACES]
    cdef npy_intp unit, chunks, first, count, column
    cdef Chunk chunk
    chunks = job.units // max(job.columns, <npy_intp>1)
    for unit in range(first_unit, end):
        first = unit % chunks * PLACES
        count = min(<npy_intp>PLACES, job.places.count - first)
        chunk.job, chunk.offsets, chunk.out = job, offsets, job.out + first * job.run
        if not visit_places(&job.places, first, count, _copy_single if job.single else _find_offsets, &chunk):
            job.outside = True
        if job.outside:
            return
        if job.columns:
            column = unit // chunks * COLUMN
            _copy_columns(job, first, count, offsets, column, min(<npy_intp>COLUMN, job.block.shape[0] - column))
        elif not job.single:
            _copy_blocks(job, job.out + first * job.run, count, offsets)


cdef bint _find_offsets(void* context, npy_intp* position, npy_intp offset, npy_intp n) noexcept nogil:
    cdef Chunk* chunk = <Chunk*>context
    if not add_indices(&chunk.job.places, position, offset, n, chunk.offsets):
        return False
    chunk.offsets += n
    return True


ctypedef fused Element:
    npy_uint8
    npy_uint16
    npy_uint32
    npy_uint64


cdef inline bint _copy_elements(Element* out, char* x, npy_intp walked, char* data, npy_intp step, npy_intp n,
                                npy_intp extent, npy_intp stride) noexcept nogil:
    cdef npy_intp i, value
    for i in range(n):
        value = (<npy_intp*>(data + i * step))[0]
        if value < 0:
            value += extent
        if <npy_uintp>value >= <npy_uintp>extent:
            return False
        out[i] = (<Element*>(x + i * walked + value * stride))[0]
    return True


cdef bint _copy_single(void* context, npy_intp* position, npy_intp offset, npy_intp n) noexcept nogil:
    """Copy the elements of a single index while reading it."""
    cdef Chunk* chunk = <Chunk*>context
    cdef Job* job = chunk.job
    cdef Index* index = &job.places.indices[0]
    cdef int last = job.places.njoined - 1
    cdef char* data = index_at(index, position, last + 1)
    cdef char* x = job.x + offset
    cdef char* out = chunk.out
    cdef npy_intp walked = job.places.walked[last], step = index.strides[last]
    chunk.out += n * job.size
    if job.size == 1:
        return _copy_elements(<npy_uint8*>out, x, walked, data, step, n, index.extent, index.stride)
    if job.size == 2:
        return _copy_elements(<npy_uint16*>out, x, walked, data, step, n, index.extent, index.stride)
    if job.size == 4:
        return _copy_elements(<npy_uint32*>out, x, walked, data, step, n, index.extent, index.stride)
    return _copy_elements(<npy_uint64*>out, x, walked, data, step, n, index.extent, index.stride)


cdef void _copy_blocks(Job* job, char* out, npy_intp n, npy_intp* offsets) noexcept nogil:
    cdef npy_intp i
    for i in range(n):
        if job.block.ndim:
            copy_nd(out + i * job.run, job.block.others, job.x + offsets[i], job.block.strides, job.block.shape,
                    job.block.ndim, job.size)
            continue
        if i + AHEAD < n:
            lz_prefetch(job.x + offsets[i + AHEAD], min(job.run, <npy_intp>256))
        memcpy(out + i * job.run, job.x + offsets[i], job.run)


cdef void _copy_columns(Job* job, npy_intp first, npy_intp n, npy_intp* offsets, npy_intp column,
                        npy_intp length) noexcept nogil:
    """Copy a few elements of each block, whose neighbours in x belong to other blocks."""
    cdef npy_intp i, step = job.block.strides[0]
    cdef char* out = job.out + first * job.run + column * job.size
    cdef char* x = job.x + column * step
    for i in range(n):
        lz_copy1(out + i * job.run, job.size, x + offsets[i], step, length, job.size)
