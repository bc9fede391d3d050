# cython: cdivision=True
# (extents are positive where they divide)
"""Scatter: x[i, j] = v, put, put_along_axis and `ufunc.at`, on all threads.

The target has joined axes and a block, as in `gather`; for each place in order, the value's block is copied to the
target's, or combined with it by a ufunc's inner loop. If indices repeat a place, the last write counts, or sums add up
in this order. So threads never share a place:

    x[:, i], put_along_axis    each thread has some of the rows that the target is traversed along
    x[i]                       each thread reads all indices, and writes the places in its part of the target

Axes of the block with larger strides than the places' are traversed outside, too. All indices are checked first.
"""
cimport numpy as cnp
from libc.string cimport memcpy, memset
from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fetch_or, lz_fp_clear, lz_fp_take
from lazyarr._core.host.threads cimport run_team, step_ended, team_size
from lazyarr._core.ir.inner_loops cimport exact_loop, find_ufunc
from lazyarr._core.ir.loop_table cimport LOOP_SERIAL, Loop
from lazyarr._core.ir.node cimport MAX_DIMS
from lazyarr._core.ir.overlap cimport copy_nd
from lazyarr._core.kernels.index_lookup cimport (
    MAX_INDICES, PLACES, RAISE, Block, Index, Places, add_indices, index_at, set_block, set_places, visit_places)
from lazyarr._core.kernels.index_lookup import outside

import numpy as np

cnp.import_array()

cdef extern from "simd/scatter.h":
    ctypedef struct Placed "lz_placed":
        char* x
        char* values
        npy_intp n
        npy_intp* at
        npy_intp* source "from"
        char* index
        npy_intp index_step, extent, stride, walked, step
    ctypedef void (*Singles "lz_scatter*")(Placed* p) noexcept nogil
    void lz_ask_for_places(Placed* p) noexcept nogil
    npy_intp lz_find_own(Placed* p, npy_intp first, npy_intp beyond, npy_intp* at, npy_intp* source) noexcept nogil
    Singles lz_find_put(npy_intp size) noexcept
    Singles lz_find_scatter(const char* name, char kind, npy_intp size) noexcept

cdef enum:
    DISTANT = 1 << 25       # target size beyond which places are not in a cache
cdef double NS_A_PLACE = 0.7, NS_A_DISTANT_PLACE = 3.0, NS_A_BYTE = 0.1, NS_AN_INDEX = 1.2, NS_A_CALL = 5.0

cdef struct Job:
    char* x
    char* values
    Places places
    npy_intp given[MAX_DIMS]        # strides of the values along the joined axes
    npy_intp size                   # itemsize
    Block block
    Singles singles                 # for blocks of one element; NULL: use the general case
    Loop* loop                      # loop of a ufunc; NULL: values are copied
    npy_intp at_a_time              # elements per call of it
    npy_intp rows                   # outermost places, divided among threads; 1: the target is divided
    npy_intp first, last            # bounds of the offsets of places
    bint distant                    # whether places are not in a cache
    int status                      # status flags

cdef struct Share:
    Job* job
    bint shared                     # each thread reads all places, and writes those whose offsets are in its range
    npy_intp first, beyond


def scatter(cnp.ndarray x, cnp.ndarray value, tuple indices, tuple joined, tuple walked, tuple indexed, tuple block,
            int mode=0, operation=None):
    """Write the blocks of `value` to x at the given indices; return the status flags.

    Returns -1 without a change if an index is out of bounds, or if NumPy does this as fast itself.

    Parameters
    ----------
    x, value : numpy.ndarray
        Of one native dtype, x writeable and without elements that share memory. `value` has the joined axes and behind
        them those of the block, and shares no memory with x.
    indices, joined, walked, indexed, mode
        As of `gather`; no joined axis is empty.
    block : tuple of int
        The other axes of x, in the order of the last axes of `value`.
    operation : numpy.ufunc, optional
        What combines elements of x with those of `value`; these are copied by default.
    """
    cdef Job job
    cdef double work, shared
    cdef int threads
    memset(&job, 0, sizeof(Job))
    if cnp.PyArray_SIZE(value) == 0 or cnp.PyArray_SIZE(x) == 0 or len(indices) > MAX_INDICES \
            or not cnp.PyArray_ISALIGNED(x):
        return -1
    if mode == RAISE and any([outside(i, -x.shape[axis], x.shape[axis]) for i, axis in zip(indices, indexed)]):
        return -1
    if not cnp.PyArray_ISALIGNED(value):
        value = np.array(value)
    job.x, job.values, job.size = <char*>cnp.PyArray_DATA(x), <char*>cnp.PyArray_DATA(value), x.itemsize
    near = max([abs(cnp.PyArray_STRIDE(x, axis)) for axis in indexed])
    far = [i for i, axis in enumerate(block) if abs(cnp.PyArray_STRIDE(x, axis)) > near]
    far.sort(key=lambda i: -abs(cnp.PyArray_STRIDE(x, block[i])))
    inner = [i for i in range(len(block)) if i not in far]
    inner.sort(key=lambda i: -abs(cnp.PyArray_STRIDE(x, block[i])))
    outer = tuple([block[i] for i in far])
    held = set_places(&job.places, x, indices, tuple([x.shape[axis] for axis in outer]) + joined, outer + walked,
                      indexed, mode)
    lead = value.ndim - len(block)
    given = [0 if value.shape[d] == 1 else cnp.PyArray_STRIDE(value, d) for d in range(value.ndim)]
    for d, axis in enumerate([lead + i for i in far] + list(range(lead))):
        job.given[d] = given[axis]
    set_block(&job.block, x, [block[i] for i in inner], [given[lead + i] for i in inner])
    if not _set_loop(&job, x, operation):
        return -1
    _set_bounds(&job)
    work = _estimate(&job)
    threads = team_size(work)
    shared = job.places.count * NS_AN_INDEX + work / threads
    if job.rows < threads and shared > 0.8 * work:
        threads = <int>job.rows
    with nogil:
        run_team(threads, _share, &job)
    step_ended(work)
    del held
    return job.status


cdef bint _set_loop(Job* job, cnp.ndarray x, operation) except -1:
    """Choose the function that writes a block; return False to leave it to NumPy."""
    cdef int types[3]
    if operation is None:
        job.singles = lz_find_put(job.size)
    else:
        types[0] = types[1] = types[2] = cnp.PyArray_TYPE(x)
        job.loop = exact_loop(find_ufunc(operation), types)
        if job.loop is NULL or job.loop.flags & LOOP_SERIAL:
            return False
        name = operation.__name__
        job.singles = lz_find_scatter(name.encode(), ord(x.dtype.kind), job.size)
        # vectorised and scalar code of other loops may differ in a bit, and NumPy calls them per element
        job.at_a_time = job.block.size if job.singles is not NULL or x.dtype.kind in "iub" else 1
        if job.block.size == 1 and job.singles is NULL and x.ndim == 1:
            return False
    if job.block.size > 1:
        job.singles = NULL
    return True


cdef void _set_bounds(Job* job) noexcept:
    """Compute the rows to divide among threads, and the bounds of the places' offsets."""
    cdef Places* places = &job.places
    cdef npy_intp reach
    cdef int d
    cdef bint leads = True
    job.rows = 1
    for d in range(places.njoined + places.nindices):
        if d < places.njoined:
            reach = (places.joined[d] - 1) * places.walked[d]
            leads = leads and (places.walked[d] != 0 or places.joined[d] == 1)
            if leads:
                job.rows *= places.joined[d]
        else:
            reach = (places.indices[d - places.njoined].extent - 1) * places.indices[d - places.njoined].stride
        job.first += min(reach, <npy_intp>0)
        job.last += max(reach, <npy_intp>0)
    job.distant = job.last - job.first > DISTANT


cdef double _estimate(Job* job) noexcept:
    """Return the time on one core in ns."""
    cdef double place = NS_A_DISTANT_PLACE if job.distant else NS_A_PLACE
    cdef double calls = 0
    cdef npy_intp together = job.at_a_time
    if job.loop is not NULL and job.singles is NULL:
        if job.block.ndim:
            together = min(together, job.block.shape[job.block.ndim - 1])
        calls = job.block.size * NS_A_CALL / together
    return job.places.count * (place * job.places.nindices + NS_A_BYTE * job.block.size * job.size + calls)


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    cdef Job* job = <Job*>whole
    cdef Share share
    cdef npy_intp first = 0, beyond = job.places.count, row = beyond // job.rows, reach = job.last - job.first + 1
    share.job, share.shared = job, threads > 1 and job.rows < threads
    share.first, share.beyond = job.first, job.last + 1
    if share.shared:
        share.first += <npy_intp>(<double>reach * thread / threads)
        if thread + 1 < threads:
            share.beyond = job.first + <npy_intp>(<double>reach * (thread + 1) / threads)
    else:
        first, beyond = job.rows * thread // threads * row, job.rows * (thread + 1) // threads * row
    if job.loop is not NULL:
        lz_fp_clear()
    while first < beyond:
        visit_places(&job.places, first, min(<npy_intp>PLACES, beyond - first), _write, &share)
        first += PLACES
    if job.loop is not NULL:
        lz_fetch_or(&job.status, lz_fp_take())


cdef bint _write(void* context, npy_intp* position, npy_intp offset, npy_intp n) noexcept nogil:
    """Write the values of consecutive places that belong to this thread."""
    cdef Share* share = <Share*>context
    cdef Job* job = share.job
    cdef npy_intp at[PLACES]
    cdef npy_intp source[PLACES]
    cdef npy_intp i, own = 0
    cdef int d, last = job.places.njoined - 1
    cdef Index* index = &job.places.indices[0]
    cdef Placed placed
    placed.x, placed.values, placed.n, placed.at, placed.source = job.x, job.values, n, NULL, source
    placed.walked, placed.step = job.places.walked[last], job.given[last]
    for d in range(last + 1):
        placed.values += position[d] * job.given[d]
    if job.places.nindices == 1 and job.places.mode == RAISE:
        placed.x += offset
        placed.index, placed.index_step = index_at(index, position, last + 1), index.strides[last]
        placed.extent, placed.stride = index.extent, index.stride
        if job.singles is not NULL and not share.shared:
            if job.distant and job.loop is not NULL:  # the loop waits for the old value
                lz_ask_for_places(&placed)
            job.singles(&placed)
            return True
        placed.n = lz_find_own(&placed, share.first - offset, share.beyond - offset, at, source)
    else:
        add_indices(&job.places, position, offset, n, at)
        for i in range(n):
            at[own], source[own] = at[i], i * placed.step
            own += not share.shared or (at[i] >= share.first) & (at[i] < share.beyond)
        placed.n = own
    if job.singles is not NULL:
        placed.at = at
        job.singles(&placed)
        return True
    for i in range(placed.n):
        _write_block(job, placed.x + at[i], placed.values + source[i])
    return True


cdef inline void _write_block(Job* job, char* x, char* values) noexcept nogil:
    cdef int last = job.block.ndim - 1
    if job.loop is not NULL:
        _combine(job, 0, x, values)
    elif job.block.ndim == 1 and job.block.strides[last] == job.size and job.block.others[last] == job.size:
        memcpy(x, values, job.block.shape[last] * job.size)
    else:
        copy_nd(x, job.block.strides, values, job.block.others, job.block.shape, job.block.ndim, job.size)


cdef void _combine(Job* job, int axis, char* x, char* values) noexcept nogil:
    """Call the loop for the elements of a block from this axis on."""
    cdef npy_intp i, n = 1, count, step = 0, given = 0
    cdef char* args[3]
    cdef npy_intp steps[3]
    if axis < job.block.ndim:
        n, step, given = job.block.shape[axis], job.block.strides[axis], job.block.others[axis]
    if axis + 1 < job.block.ndim:
        for i in range(n):
            _combine(job, axis + 1, x + i * step, values + i * given)
        return
    steps[0] = steps[2] = step
    steps[1] = given
    i = 0
    while i < n:
        count = min(job.at_a_time, n - i)
        args[0] = args[2] = x + i * step
        args[1] = values + i * given
        job.loop.fn(args, &count, steps, job.loop.data)
        i += count
