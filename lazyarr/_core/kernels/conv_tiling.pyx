# cython: cdivision=True
# (extents are positive where they divide)
"""Tiling of convolutions: bands of pixels, and block sizes.

The pixels under a row of positions lie one stride apart, and so do those under any tap: a tile reads them where they
are. They are read from a *band*, a copy of the lines of x that a block of positions needs with zeros around, or from x
itself where nothing lies outside.

            first  x x x x x x x x            a run: the channels of neighbouring taps, side by side in memory
            0  0  [a b]c d e f g h  0         a line: the positions along the last axis
            0  0   i j k l m n o p  0         a band: lines, of one plane or of several
"""
from libc.stdlib cimport malloc
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.kernels.gemm cimport (
    ALIASED, AWAY, block_bytes, cache_bytes, count_parts, divide_evenly, parts_of_rows, rows_handed)

cdef enum:
    TERMS_BYTES = 4096      # bytes of one column of a packed block
# Relative costs of a row of a packed panel and an element of a band; unit: a row of a panel.
cdef double PACKING = 16, COPYING = 0.1
cdef npy_intp MOST_BYTES = <npy_intp>1 << 46    # bytes of a band, more than possible


# ---- how the work is laid out --------------------------------------------------------------------------


cdef inline npy_intp _reach(npy_intp count, npy_intp step) noexcept nogil:
    return (count - 1) * step + 1


cdef bint _lies_inside(Job* job) noexcept:
    cdef int d
    for d in range(3):
        if job.first[d] < 0 or job.first[d] + (job.out[d + 1] - 1) * job.stride[d] \
                + (job.taps[d] - 1) * job.dilation[d] >= job.extent[d]:
            return False
    return True


cdef double _band_bytes(Job* job, npy_intp lines, npy_intp width) noexcept nogil:
    """Return the bytes of a band of `lines` lines of `width` positions, which may begin within a plane."""
    cdef npy_intp within = min(lines, job.out[2])
    cdef npy_intp planes = 1 if lines == 1 else (lines + job.out[2] - 2) // job.out[2] + 1
    return <double>planes * _reach(job.taps[0], job.dilation[0]) * _needed(job, 1, within) * _needed(job, 2, width) \
        * job.pixel * job.size


cdef inline npy_intp _needed(Job* job, int axis, npy_intp positions) noexcept nogil:
    """Return how many pixels the taps of `positions` positions reach."""
    return _reach(positions, job.stride[axis]) + (job.taps[axis] - 1) * job.dilation[axis]


cdef int lay_out(Job* job, int threads) except -1:
    """Lay out bands and runs of terms, choose block sizes, and divide the work among threads."""
    # the order of sums of weight gradients depends on the position blocks, which are not tunable
    cdef npy_intp room = cache_bytes() // 2 if job.of_weights else block_bytes()
    cdef npy_intp most = TERMS_BYTES // job.size, panel = job.gemm.panel, limit, n
    cdef npy_intp width = job.out[3], run, t0, t1, t2
    cdef double band, most_bytes
    job.direct = _lies_inside(job) and job.stride[2] * job.x_step[3] % ALIASED != 0
    job.pixel = job.x_step[3] // job.size if job.direct else job.channels
    if not job.direct and job.stride[2] * job.pixel * job.size % ALIASED == 0:
        job.pixel += AWAY // job.size
    job.run, job.runs = job.channels, job.taps[0] * job.taps[1] * job.taps[2]
    if not job.depthwise and job.dilation[2] == 1 and job.pixel == job.channels \
            and job.w_step[2] * job.reals == job.channels * job.w_step[3]:
        job.run, job.runs = job.run * job.taps[2], job.runs // job.taps[2]
    job.together = 1
    if job.of_weights:
        job.terms = most
    elif job.run <= most:
        job.together = divide_evenly(job.runs, most // job.run)
        job.terms = job.together * job.run
    else:
        job.terms = divide_evenly(job.run // job.reals, most // job.reals) * job.reals
    job.block_columns = divide_evenly(count_parts(job.columns, panel), room // (job.terms * panel * job.size)) * panel
    job.packed_bytes = 0 if job.depthwise else job.terms * job.block_columns * job.size
    # Blocks of positions: no more than the cache holds beside the packed block, and enough for all threads.
    limit = job.lines
    if job.of_weights and not job.depthwise:
        width = min(width, most // job.reals)
        limit = most // job.reals // width
    elif job.lines < 4 * threads and not job.of_weights:  # the order of sums must not depend on the number of threads
        width = divide_evenly(width, count_parts(width * job.lines, 4 * threads))
        width = min(count_parts(width, job.gemm.rows) * job.gemm.rows, job.out[3])
    while width > job.gemm.rows and _band_bytes(job, 1, width) > room:
        width = count_parts(width, 2)
    job.block_width = width
    n = 1 if width < job.out[3] else limit
    while n > 1 and _band_bytes(job, n, width) > room:
        n = count_parts(n, 2)
    job.block_lines = n
    band = 0 if job.direct else _band_bytes(job, n, width)
    most_bytes = max(band, <double>job.runs * sizeof(npy_intp))
    if most_bytes > MOST_BYTES:
        raise MemoryError(f"Unable to allocate {most_bytes:.0f} bytes")
    job.line = _needed(job, 2, width) * job.pixel
    job.plane = _needed(job, 1, min(n, job.out[2])) * job.line
    job.image = _reach(job.taps[0], job.dilation[0]) * job.plane
    job.band_bytes = count_parts(<npy_intp>band, AWAY) * AWAY  # aligns the following memory
    if job.direct:
        job.line, job.plane = job.x_step[2] // job.size, job.x_step[1] // job.size
    job.start = <npy_intp*>malloc(2 * job.runs * sizeof(npy_intp))
    if job.start is NULL:
        raise MemoryError()
    job.start_w = job.start + job.runs
    run = 0
    for t0 in range(job.taps[0]):
        for t1 in range(job.taps[1]):
            for t2 in range(job.runs // (job.taps[0] * job.taps[1])):
                job.start[run] = t0 * job.dilation[0] * job.plane + t1 * job.dilation[1] * job.line \
                    + t2 * job.dilation[2] * job.pixel
                job.start_w[run] = (t0 * job.w_step[0] + t1 * job.w_step[1] + t2 * job.w_step[2]) // job.size
                run += 1
    job.units = job.runs * job.run if job.of_weights else job.lines * count_parts(job.out[3], job.block_width)
    job.by_rows = _parts(job, threads)
    if not job.depthwise and job.block_columns < job.columns \
            or job.doubtful is not NULL and job.block_width < job.out[3]:
        job.epilogue = NULL
    job.handed = rows_handed(job.gemm, job.columns * job.size)
    # memory per thread: a packed block, a band, and line offsets of a block
    job.scratch = count_parts(job.packed_bytes + job.band_bytes + job.terms * sizeof(npy_intp), AWAY) * AWAY
    return 0


cdef int _parts(Job* job, int threads) noexcept:
    """Return the number of parts of the rows; columns are divided among the other threads."""
    cdef double terms = job.taps[0] * job.taps[1] * job.taps[2] * job.channels, positions = job.lines * job.out[3]
    if job.depthwise:
        return 1 if job.of_weights else threads
    # cost of tiles, then of each part's packing and copying
    return parts_of_rows(threads, job.units, count_parts(job.columns, job.gemm.panel), terms * positions / job.units,
                         PACKING * (positions if job.of_weights else terms),
                         0 if job.of_weights else COPYING * positions * job.channels / job.units)


# ---- bands ---------------------------------------------------------------------------------------------


cdef npy_intp take_block(Job* job, npy_intp unit, npy_intp end, char* band, Block* block) noexcept nogil:
    """Set the block of positions beginning with this unit, with pixels readable by tiles; return the next unit."""
    cdef npy_intp a_line = count_parts(job.out[3], job.block_width), stop = min(end, unit + job.block_lines)
    block.line0 = unit // a_line
    block.line1 = stop if a_line == 1 else block.line0 + 1
    block.x0 = unit % a_line * job.block_width
    block.x1 = min(block.x0 + job.block_width, job.out[3])
    block.band = band
    if not job.direct:
        _fill_band(job, block)
    return stop if a_line == 1 else unit + 1


cdef void _fill_band(Job* job, Block* block) noexcept nogil:
    """Copy the lines that a block's positions reach, plane by plane."""
    cdef npy_intp line = block.line0, stop, plane, z, y, t, i
    cdef char* x
    cdef char* target
    while line < block.line1:
        plane = line // job.out[2]
        stop = min(block.line1, (plane + 1) * job.out[2])
        for t in range(job.taps[0]):
            z = plane % job.out[1] * job.stride[0] + job.first[0] + t * job.dilation[0]
            x = job.x + plane // job.out[1] * job.x_step[0] + z * job.x_step[1]
            target = first_pixel(job, block, line) + t * job.dilation[0] * job.plane * job.size
            for i in range(_needed(job, 1, stop - line)):
                y = line % job.out[2] * job.stride[1] + job.first[1] + i
                if 0 <= z < job.extent[0] and 0 <= y < job.extent[1]:
                    _fill_line(job, block, target, x + y * job.x_step[2])
                else:
                    memset(target, 0, job.line * job.size)
                target += job.line * job.size
        line = stop


cdef inline void _fill_line(Job* job, Block* block, char* target, char* x) noexcept nogil:
    cdef npy_intp from_x = block.x0 * job.stride[2] + job.first[2], size = job.channels * job.size
    cdef npy_intp count = _needed(job, 2, block.x1 - block.x0), pixel = job.pixel * job.size, i
    cdef npy_intp before = min(max(-from_x, <npy_intp>0), count)
    cdef npy_intp stop = max(min(count, job.extent[2] - from_x), before)
    memset(target, 0, before * pixel)
    x += (from_x + before) * job.x_step[3]
    if pixel == size == job.x_step[3]:
        memcpy(target + before * pixel, x, (stop - before) * size)
    else:
        for i in range(stop - before):
            memcpy(target + (before + i) * pixel, x + i * job.x_step[3], size)
    memset(target + stop * pixel, 0, (count - stop) * pixel)
