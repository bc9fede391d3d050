# cython: cdivision=True
# (extents are positive where they divide)
"""Sums of products over windows: convolutions and their gradients, as blocked matrix products.

`correlate` computes, for each position of the output and all its channels at once,

    out[position] = sum over taps t of  x[stride * position + first + dilation * t] @ w[t]      x is 0 outside

A convolution is one such sum. Its gradient for the input is one too, with the weights turned round, or, for a stride of
s, s of them an axis, each over every s-th tap, whose results lie between each other. `weight_gradient` computes

    out[t] = sum over positions of  x[stride * position + first + dilation * t]^T @ g[position]

No matrix of patches is made: conv_tiling.pyx says where a tile reads pixels.
"""
from libc.stdlib cimport free
from libc.string cimport memchr, memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.fp_status cimport UNDERFLOW
from lazyarr._core.host.threads cimport Watch, must_stop, run_watched
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.kernels cimport winograd
from lazyarr._core.kernels.conv_tiling cimport Block, Job, first_pixel, lay_out, position, take_block
from lazyarr._core.kernels.gemm cimport Gemm, Panels, Terms, count_parts, gemm_of, is_complex, multiply, pack
from lazyarr._core.tile.epilogue cimport hand_over, take_epilogue, team_size_with

import numpy as np

cnp.import_array()

cdef extern from "simd/finite.h":
    bint lz_all_finite(const char* x, npy_intp n, npy_intp size) noexcept nogil

cdef double NS_A_TILE_TERM = 0.5        # one row of one panel
cdef double WEIGHTS_READ = 8            # how much longer such a row takes if its weights serve it alone
tunable("conv.tile_term_ns", &NS_A_TILE_TERM, "ns", 1e-2, 1e2, "What a row of a panel costs a convolution.")
tunable("conv.weights_read", &WEIGHTS_READ, "times", 0.1, 100,
        "How much longer it takes where each channel is by itself.")


def correlate(cnp.ndarray out, cnp.ndarray x, cnp.ndarray w, tuple stride, tuple first, tuple dilation,
              cnp.ndarray complete=None, cnp.ndarray doubtful=None):
    """Fill `out` with sums of products over windows of x; return the status flags.

    Parameters
    ----------
    out : numpy.ndarray
        [batch, n0, n1, n2, columns]; contiguous along the last axis, as x is.
    x : numpy.ndarray
        [batch, m0, m1, m2, channels], of the same dtype: float32, float64, complex64, complex128, int32 or int64.
    w : numpy.ndarray
        [t0, t1, t2, channels, columns], of any strides; or [t0, t1, t2, channels], contiguous along the last axis,
        where each channel makes its own column, but not for complex numbers.
    stride, first, dilation : tuple of int
        For each of the three axes: pixels from one position to the next, the first pixel of the first position, pixels
        from one tap to the next.
    complete : numpy.ndarray, optional
        What is final, line by line, when the lines of `out` are, so that it can be handed over: `out` itself, or an
        array that has more positions at the end of each line.
    doubtful : numpy.ndarray, optional
        Of bool and the shape [batch, n0, n1]. Lines with results that are not finite are marked there, which the caller
        is going to compute in another way; they are not handed over. For floating-point numbers.
    """
    cdef Job job
    cdef int flags
    cdef cnp.ndarray lines = doubtful
    job.of_weights, job.depthwise = False, w.ndim == 4
    _describe(&job, x, out, w, stride, first, dilation)
    if complete is not None:
        job.epilogue = take_epilogue(<char*>cnp.PyArray_DATA(complete), cnp.PyArray_NBYTES(complete))
        job.beyond = (complete.shape[3] * complete.shape[4] - out.shape[3] * out.shape[4]) * cnp.PyArray_ITEMSIZE(out)
    job.by_tiles = winograd.serves(&job)
    if lines is None and job.by_tiles:
        lines = np.zeros((out.shape[0], out.shape[1], out.shape[2]), bool)
    if lines is None:
        return _run(&job)
    job.doubtful = <char*>cnp.PyArray_DATA(lines)
    flags = _run(&job) & UNDERFLOW  # other flags belong to marked lines
    if doubtful is None:
        for part, start in marked(lines, stride, first):
            _describe(&job, x[part[:1]], out[part], w, stride, start, dilation)
            flags |= _run(&job)
    return flags


def marked(cnp.ndarray lines, tuple stride, tuple first):
    """Return the parts of [batch, n0, n1] with marked lines, and the first pixel of each.

    `lines` is None if no line can be marked.
    """
    if lines is None or memchr(cnp.PyArray_DATA(lines), True, cnp.PyArray_NBYTES(lines)) is NULL:
        return
    for image, plane in zip(*np.nonzero(lines.any(2))):
        edges = np.flatnonzero(np.diff(lines[image, plane], prepend=False, append=False)).tolist()
        for start, stop in zip(edges[::2], edges[1::2]):
            yield ((slice(image, image + 1), slice(plane, plane + 1), slice(start, stop)),
                   (first[0] + int(plane) * stride[0], first[1] + start * stride[1], first[2]))


def weight_gradient(cnp.ndarray out, cnp.ndarray x, cnp.ndarray g, tuple stride, tuple first, tuple dilation):
    """Fill `out`, shaped like the weights, from g [batch, n0, n1, n2, columns]; else like `correlate`."""
    cdef Job job
    job.of_weights, job.depthwise = True, out.ndim == 4
    _describe(&job, x, g, out, stride, first, dilation)
    if job.depthwise:
        memset(job.w, 0, cnp.PyArray_NBYTES(out))
    return _run(&job)


cdef int _describe(Job* job, cnp.ndarray x, cnp.ndarray y, cnp.ndarray w, tuple stride, tuple first,
                   tuple dilation) except -1:
    cdef int d, typenum = cnp.PyArray_TYPE(x)
    job.gemm = gemm_of(typenum)
    job.reals = 1 + is_complex(typenum)
    job.by_tiles, job.epilogue, job.beyond, job.doubtful, job.start = False, NULL, 0, NULL, NULL
    job.size = job.gemm.size
    for d in range(3):
        job.stride[d], job.first[d], job.dilation[d] = stride[d], first[d], dilation[d]
        job.taps[d] = w.shape[d]
        job.extent[d] = x.shape[d + 1]
    for d in range(4):
        job.out[d] = y.shape[d]
        job.x_step[d] = x.strides[d]
        job.y_step[d] = y.strides[d]
    for d in range(w.ndim):
        job.w_step[d] = w.strides[d]
    job.lines = job.out[0] * job.out[1] * job.out[2]
    job.channels, job.columns = job.reals * x.shape[4], job.reals * y.shape[4]
    job.x, job.y, job.w = <char*>cnp.PyArray_DATA(x), <char*>cnp.PyArray_DATA(y), <char*>cnp.PyArray_DATA(w)
    return 0


def cost(dtype, double terms, npy_intp channels, npy_intp columns, bint depthwise):
    """Return the estimated time of a convolution on one thread in ns.

    `terms` is positions times taps, each a row of channels times a matrix; in `depthwise` convolutions each channel has
    its own column.
    """
    cdef int reals = 1 + is_complex(dtype.num)
    return _work(gemm_of(dtype.num), terms, reals * channels, reals * columns, depthwise)


cdef double _work(const Gemm* gemm, double terms, npy_intp channels, npy_intp columns, bint depthwise) noexcept:
    return terms * count_parts(columns, gemm.panel) * NS_A_TILE_TERM * (WEIGHTS_READ if depthwise else channels)


cdef int _run(Job* job) except -1:
    """Lay out the work and run it on threads; return the status flags."""
    cdef int threads
    cdef double work
    cdef Buffer memory
    assert job.lines * job.out[3] * job.columns * job.channels > 0
    if job.by_tiles:
        work = winograd.work(job)
    else:
        work = _work(job.gemm, <double>job.lines * job.out[3] * job.taps[0] * job.taps[1] * job.taps[2], job.channels,
                     job.columns, job.depthwise)
    threads = team_size_with(job.epilogue, &work)
    try:
        if job.by_tiles:
            winograd.lay_out(job, threads)
        else:
            lay_out(job, threads)
        if job.by_rows < threads:
            job.epilogue = NULL
        memory = new_workspace(threads * job.scratch)
        job.memory = memory.data
        return run_watched(&job.watch, work, threads, _share, job)
    finally:
        free(job.start)


cdef void _share(void* whole, int thread, int threads) noexcept nogil:
    """Run one thread's rows and columns."""
    cdef Job* job = <Job*>whole
    cdef npy_intp panel = job.gemm.panel, panels = count_parts(job.columns, panel), by_columns = threads // job.by_rows
    cdef npy_intp row = thread % job.by_rows, column = thread // job.by_rows
    cdef npy_intp unit0 = job.units * row // job.by_rows, unit1 = job.units * (row + 1) // job.by_rows
    cdef npy_intp column0 = panels * column // by_columns * panel
    cdef npy_intp column1 = min(panels * (column + 1) // by_columns * panel, job.columns)
    cdef char* memory = job.memory + thread * job.scratch
    if unit0 == unit1 or column0 >= column1:
        return
    if job.depthwise:
        _sum_each_channel(job[0], &job.watch, thread, unit0, unit1, column0, column1, memory)
    elif job.of_weights:
        _sum_positions(job, thread, unit0, unit1, column0, column1, memory)
    elif job.by_tiles:
        winograd.sum_tiles(job, thread, unit0, unit1, column0, column1, memory)
    else:
        _sum_taps(job, thread, unit0, unit1, column0, column1, memory)


# ---- depthwise -----------------------------------------------------------------------------------------


cdef void _sum_each_channel(Job job, Watch* watch, int thread, npy_intp unit, npy_intp end, npy_intp channel0,
                            npy_intp channel1, char* memory) noexcept nogil:
    """Sum over taps, or over positions, for the job's range of channels."""
    cdef npy_intp line, ld = job.y_step[3] // job.size, step = job.stride[2] * job.pixel
    cdef Block block
    cdef char* x
    cdef char* y
    if job.of_weights:
        job.x, job.y, job.w = job.x + channel0 * job.size, job.y + channel0 * job.size, job.w + channel0 * job.size
        job.channels = channel1 - channel0
        unit, end = 0, job.lines * count_parts(job.out[3], job.block_width)
    while unit < end and not must_stop(watch, thread):
        unit = take_block(&job, unit, end, memory, &block)
        for line in range(block.line0, block.line1):
            x, y = first_pixel(&job, &block, line), position(&job, line, block.x0)
            if job.of_weights:
                job.gemm.each_weight(block.x1 - block.x0, job.channels, job.runs, job.start, job.start_w, x, step,
                                     job.w, y, ld)
            else:
                job.gemm.each_channel(block.x1 - block.x0, job.channels, job.runs, job.start, job.start_w, x, step,
                                      job.w, y, ld)
                if job.epilogue is not NULL:
                    hand_over(job.epilogue, thread, y, y + (block.x1 - block.x0) * job.y_step[3], &watch.flags)


# ---- sums over taps ------------------------------------------------------------------------------------


cdef void _sum_taps(Job* job, int thread, npy_intp unit, npy_intp end, npy_intp column0, npy_intp column1,
                    char* memory) noexcept nogil:
    cdef npy_intp chunks = count_parts(job.runs, job.together) * count_parts(job.run, job.terms), chunk, column, width
    cdef bint whole = chunks == 1 and column1 - column0 <= job.block_columns
    cdef Block block
    cdef Terms terms
    cdef Panels panels
    panels.data, panels.ldb = memory, job.gemm.panel
    if whole:
        _take_terms(job, 0, &terms)
        _pack_terms(job, &terms, 0, column0, column1 - column0, memory)
    while unit < end and not must_stop(&job.watch, thread):
        unit = take_block(job, unit, end, memory + job.packed_bytes, &block)
        column = column0
        while column < column1:
            width = min(job.block_columns, column1 - column)
            for chunk in range(chunks):
                offset = _take_terms(job, chunk, &terms)
                if not whole:
                    _pack_terms(job, &terms, offset, column, width, memory)
                panels.apart = terms.runs * terms.length * job.gemm.panel
                _multiply_block(job, thread, &block, &terms, offset, &panels, column, width, chunk == 0,
                                chunk == chunks - 1)
            column += width


cdef npy_intp _take_terms(Job* job, npy_intp chunk, Terms* terms) noexcept nogil:
    """Set the runs of one packed block, or the part of a run; return where the part begins."""
    cdef npy_intp pieces = count_parts(job.run, job.terms), run = chunk // pieces * job.together
    terms.runs = min(job.together, job.runs - run)
    terms.start = job.start + run
    terms.length = min(job.terms, job.run - chunk % pieces * job.terms)
    return chunk % pieces * job.terms


cdef void _pack_terms(Job* job, Terms* terms, npy_intp offset, npy_intp column, npy_intp width,
                      char* target) noexcept nogil:
    """Pack the weights of some terms, from `offset` in their run."""
    # tells the compiler that it divides by 1 or 2: shifts, no division
    cdef npy_intp reals = 2 if job.reals == 2 else 1, i
    cdef npy_intp apart = terms.runs * terms.length * job.gemm.panel * job.size
    cdef char* w
    for i in range(terms.runs):
        w = job.w + job.start_w[terms.start - job.start + i] * job.size + offset // reals * job.w_step[3] \
            + column // reals * job.w_step[4]
        pack(job.gemm, job.reals, target, apart, w, terms.length // reals, job.w_step[3], width // reals,
             job.w_step[4])
        target += terms.length * job.gemm.panel * job.size


cdef void _multiply_block(Job* job, int thread, Block* block, Terms* terms, npy_intp offset, Panels* panels,
                          npy_intp column, npy_intp width, bint is_first, bint is_last) noexcept nogil:
    cdef npy_intp line, count, left, step = job.stride[2] * job.pixel, band = block.x1 - block.x0
    cdef char* x
    cdef char* y
    if is_last and job.epilogue is not NULL and job.doubtful is NULL:
        band = job.handed
    for line in range(block.line0, block.line1):
        x, y = first_pixel(job, block, line) + offset * job.size, position(job, line, block.x0) + column * job.size
        left = block.x1 - block.x0
        while left > 0:
            count = min(band, left)
            multiply(job.gemm, count, width, terms, x, step, False, panels, y, job.y_step[3] // job.size, not is_first)
            if is_last:
                _deliver(job, thread, line, y, count, width, left == count)
            x, y, left = x + count * step * job.size, y + count * job.y_step[3], left - count


cdef inline void _deliver(Job* job, int thread, npy_intp line, char* y, npy_intp count, npy_intp width,
                          bint ends_line) noexcept nogil:
    """Mark a line for non-finite results, or hand it over: some columns of some positions."""
    cdef npy_intp i
    if job.doubtful is not NULL:
        for i in range(count):
            if not lz_all_finite(y + i * job.y_step[3], width, job.size):
                job.doubtful[line] = True
                return
    if job.epilogue is not NULL:
        hand_over(job.epilogue, thread, y, y + count * job.y_step[3] + (job.beyond if ends_line else 0),
                  &job.watch.flags)


# ---- sums over positions -------------------------------------------------------------------------------


cdef void _sum_positions(Job* job, int thread, npy_intp row0, npy_intp row1, npy_intp column0, npy_intp column1,
                         char* memory) noexcept nogil:
    """Sum over positions; rows are the channels of all taps."""
    cdef npy_intp units = job.lines * count_parts(job.out[3], job.block_width), unit = 0, column, width
    cdef npy_intp* start = <npy_intp*>(memory + job.packed_bytes + job.band_bytes)
    cdef Block block
    cdef Terms terms
    cdef Panels panels
    cdef bint is_first = True
    panels.data, panels.ldb = memory, job.gemm.panel
    terms.start = start
    while unit < units and not must_stop(&job.watch, thread):
        unit = take_block(job, unit, units, memory + job.packed_bytes, &block)
        _take_positions(job, &block, start, &terms)
        panels.apart = terms.runs * terms.length * job.gemm.panel
        column = column0
        while column < column1:
            width = min(job.block_columns, column1 - column)
            _pack_positions(job, &block, panels.apart * job.size, column, width, memory)
            _multiply_rows(job, first_pixel(job, &block, block.line0), &terms, row0, row1, &panels, column, width,
                           is_first)
            column += width
        is_first = False


cdef void _take_positions(Job* job, Block* block, npy_intp* start, Terms* terms) noexcept nogil:
    """Set the positions of a block as terms: by lines or, for complex numbers, one by one."""
    cdef char* origin = first_pixel(job, block, block.line0)
    cdef npy_intp line, x, n = 0
    for line in range(block.line0, block.line1):
        start[n] = (first_pixel(job, block, line) - origin) // job.size
        if job.reals == 2:
            for x in range(1, block.x1 - block.x0):
                start[n + x] = start[n] + x * job.stride[2] * job.pixel
            n += block.x1 - block.x0
        else:
            n += 1
    terms.runs, terms.length = n, 2 if job.reals == 2 else block.x1 - block.x0


cdef void _pack_positions(Job* job, Block* block, npy_intp apart, npy_intp column, npy_intp width,
                          char* target) noexcept nogil:
    # tells the compiler that it divides by 1 or 2: shifts, no division
    cdef npy_intp reals = 2 if job.reals == 2 else 1, line
    for line in range(block.line0, block.line1):
        pack(job.gemm, job.reals, target, apart, position(job, line, block.x0) + column * job.size,
             block.x1 - block.x0, job.y_step[3], width // reals, job.size * reals)
        target += (block.x1 - block.x0) * reals * job.gemm.panel * job.size


cdef void _multiply_rows(Job* job, char* origin, Terms* terms, npy_intp row, npy_intp end, Panels* panels,
                         npy_intp column, npy_intp width, bint is_first) noexcept nogil:
    # tells the compiler that it divides by 1 or 2: shifts, no division
    cdef npy_intp reals = 2 if job.reals == 2 else 1, ld = job.w_step[3] // job.size, run, channel, count
    cdef char* w
    end -= end % reals  # a number cut in two belongs to the next thread
    while row < end:
        run, channel = row // job.run, row % job.run
        channel -= channel % reals
        count = min(end, (run + 1) * job.run) - run * job.run - channel
        count -= count % reals
        w = job.w + (job.start_w[run] + column) * job.size + channel // reals * job.w_step[3]
        multiply(job.gemm, count // reals, width, terms, origin + (job.start[run] + channel) * job.size,
                 2 if reals == 2 else job.stride[2] * job.pixel, reals == 1, panels, w, ld,
                 not is_first)
        row = run * job.run + channel + count
