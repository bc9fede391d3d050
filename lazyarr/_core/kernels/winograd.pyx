# cython: cdivision=True
# (extents are positive where they divide)
"""Winograd convolution of float32 with undilated 3 x 3 taps: 16 products for four results instead of 36.

The output is cut into tiles of 2 x 2 positions. The 4 x 4 pixels that a tile reads are transformed (`gather`), as are
the 3 x 3 weights, to 4 x 4 (`turn`). Each of the 16 places is then a matrix product over the channels, whose results
are transformed back (`scatter`). simd/winograd.h has the transforms.

    pixels  [tile, 4 x 4, channel]    ->  v [16, tile, channel]  ---.
                                                                     >-  m [16, tile, column]  ->  2 x 2 positions
    weights [3 x 3, channel, column]  ->  u [16, channel, column] --'

All weights of some columns are transformed at once, tiles in blocks that stay in the second-level cache.

Errors. With u half the distance from 1 to the next float32, a result is within

    16 (C + 14) u  *  max |x| among its tile's 4 x 4 pixels  *  sum of |w| over taps and channels

of the exact one: sums over C channels, fourteen roundings in the transforms, which at most quadruple numbers along each
axis. For pixels of similar size errors are those of plain summation; a large pixel under the tile but outside of a
window can affect it. A non-finite result may have made its neighbours NaN: such lines are marked, and the caller
recomputes them. Of the status flags only underflow counts then.
"""
from libc.string cimport memset

cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.threads cimport must_stop
from lazyarr._core.host.tunables cimport tunable
from lazyarr._core.kernels.conv_tiling cimport Job, position
from lazyarr._core.kernels.gemm cimport (
    Panels, Terms, cache_bytes, count_parts, divide_evenly, gemm_of, multiply, pack, parts_of_rows)
from lazyarr._core.tile.epilogue cimport hand_over

cnp.import_array()

cdef extern from "simd/winograd.h":
    enum:
        LZ_WIDEST
    ctypedef struct Winograd "lz_winograd":
        void (*gather)(npy_intp channels, const float** x, float* v, npy_intp apart) noexcept nogil
        void (*turn)(npy_intp count, const float* w, npy_intp tap, float* u, npy_intp apart) noexcept nogil
        void (*scatter)(npy_intp columns, const float* m, npy_intp apart, float** y, float* check) noexcept nogil
    const Winograd* lz_find_winograd(npy_intp panel) noexcept nogil

cdef enum:
    PLACES = 16
    ITEM = 4                    # bytes of a float32
    LINE = 64                   # bytes
    MOST_CHANNELS = 512         # most channels whose weights for one panel each thread can keep
    TERMS = 256                 # terms of a sum in registers: sums of blocks keep errors small
    TURNED_TOGETHER = 64        # rows of weights transformed together
    MOST_BYTES = 8 << 20        # most memory of all threads
# Costs, in rows of one panel of a product: a tile's channel, a tile's panel, a row of a panel of weights
cdef double GATHERING = 5.5, SCATTERING = 270, TURNING = 600
cdef double PACKING = 144       # packing as many weights for the direct sum
cdef double NS_A_TILE_TERM = 0.4    # ns per row of a panel, including the transforms
tunable("winograd.tile_term_ns", &NS_A_TILE_TERM, "ns", 1e-2, 1e2,
        "What a row of a panel costs Winograd's convolution.")
# Largest estimated fraction of the direct sum's time at which this algorithm is used.
cdef double WORTHWHILE = 0.9
tunable("path.winograd", &WORTHWHILE, "times", 1e-3, 1e3,
        "Part of the time of a direct sum, as estimated, below which convolutions of 3 x 3 taps are Winograd's.")
cdef bint _exact = False


def set_exact(bint exact):
    """Set whether only algorithms with the errors of plain summation are used."""
    global _exact
    _exact = exact


def get_exact():
    """Return whether only algorithms with the errors of plain summation are used."""
    return _exact


cdef bint serves(Job* job) noexcept:
    """Return whether this can compute a correlation and is faster, independently of the number of threads."""
    if _exact or job.gemm is not gemm_of(cnp.NPY_FLOAT) or job.reals == 2 or job.depthwise \
            or job.channels > MOST_CHANNELS or job.taps[0] != 1 or job.taps[1] != 3 or job.taps[2] != 3 \
            or job.stride[1] != 1 or job.stride[2] != 1 or job.dilation[1] != 1 or job.dilation[2] != 1:
        return False
    return estimated(job.out[0] * job.out[1], job.out[2], job.out[3], job.channels, job.columns) < WORTHWHILE


cpdef double estimated(npy_intp planes, npy_intp lines, npy_intp width, npy_intp channels, npy_intp columns):
    """Return the estimated time as a fraction of the direct sum's."""
    cdef npy_intp panels = count_parts(columns, gemm_of(cnp.NPY_FLOAT).panel)
    cdef double tiles = <double>planes * count_parts(lines, 2) * count_parts(width, 2)
    cdef double direct = <double>channels * panels * (9 * <double>planes * lines * width + PACKING)
    return (<double>channels * panels * (PLACES * tiles + TURNING)
            + tiles * (channels * GATHERING + panels * SCATTERING)) / direct


cdef double work(Job* job) noexcept:
    """Return the estimated time on one thread in ns."""
    return NS_A_TILE_TERM * PLACES * _tiles(job) * job.channels * count_parts(job.columns, job.gemm.panel)


cdef npy_intp _tiles(Job* job) noexcept:
    return job.out[0] * job.out[1] * count_parts(job.out[2], 2) * count_parts(job.out[3], 2)


cdef inline npy_intp _spread(npy_intp elements) noexcept nogil:
    """Round up to an odd number of cache lines, so that such strides do not alias in the first-level cache."""
    return (count_parts(elements * ITEM, LINE) | 1) * LINE // ITEM


cdef void lay_out(Job* job, int threads) noexcept:
    """Divide the work among threads, and choose block sizes."""
    cdef npy_intp panel = job.gemm.panel, panels = count_parts(job.columns, panel), rows = job.gemm.rows
    cdef npy_intp share = max(<npy_intp>MOST_BYTES // threads, cache_bytes()) // (PLACES * ITEM), room, most
    cdef npy_intp own_tiles, own_panels, u
    job.down, job.across, job.units = count_parts(job.out[2], 2), count_parts(job.out[3], 2), _tiles(job)
    job.by_rows = parts_of_rows(threads, job.units, panels, PLACES, TURNING, GATHERING)
    own_tiles, own_panels = count_parts(job.units, job.by_rows), count_parts(panels, threads // job.by_rows)
    # weights take at most half of the memory; intermediate values half of the second-level cache, or more if the
    # weights leave no room there and many tiles must share each reading of them
    job.block_columns = divide_evenly(own_panels, share // 2 // (job.channels * panel)) * panel
    u = job.channels * job.block_columns
    room = cache_bytes() // (2 * PLACES * ITEM)
    most = room // (job.channels + job.block_columns)
    if 2 * u > room:
        most = max(most, 4 * rows)
    most = max(min(most, (share - u) // (job.channels + job.block_columns)) // rows * rows, rows)
    job.block_tiles = min(divide_evenly(count_parts(own_tiles, rows), most // rows) * rows, job.units)
    job.u_apart, job.v_row, job.m_row = _spread(u), _spread(job.channels), _spread(job.block_columns)
    job.v_apart, job.m_apart = _spread(job.block_tiles * job.v_row), _spread(job.block_tiles * job.m_row)
    # the weight transform uses the memory of v and m; then come a line of zeros, and one for unwanted results
    job.scratch = PLACES * (job.u_apart + max(job.v_apart + job.m_apart, <npy_intp>TURNED_TOGETHER * panel))
    job.scratch = (job.scratch + job.v_row + job.m_row) * ITEM
    if job.block_columns < job.columns:
        job.epilogue = NULL  # the first columns would leave the cache before the last are computed


cdef void sum_tiles(Job* job, int thread, npy_intp begin, npy_intp end, npy_intp column, npy_intp stop,
                    char* memory) noexcept nogil:
    """Compute one thread's tiles and columns."""
    cdef npy_intp tile, count, width
    cdef float* u = <float*>memory
    cdef float* v = u + PLACES * job.u_apart
    cdef float* m = v + PLACES * job.v_apart
    cdef float* spare = u + job.scratch // ITEM - job.m_row
    cdef float* zeros = spare - job.v_row
    memset(zeros, 0, job.v_row * ITEM)
    while column < stop and not must_stop(&job.watch, thread):
        width = min(job.block_columns, stop - column)
        _turn(job, column, width, u, v)
        tile = begin
        while tile < end and not must_stop(&job.watch, thread):
            count = min(job.block_tiles, end - tile)
            _gather(job, tile, count, zeros, v)
            _multiply(job, count, width, u, v, m)
            _scatter(job, thread, begin, tile, count, column, width, m, spare)
            tile += count
        column += width


cdef void _turn(Job* job, npy_intp column, npy_intp width, float* u, float* packed) noexcept nogil:
    """Transform the weights of some columns, panel by panel, some channels at a time."""
    cdef npy_intp panel = job.gemm.panel, tap = TURNED_TOGETHER * panel, first, channel, count, t
    cdef const Winograd* transforms = lz_find_winograd(panel)
    first = 0
    while first < width:
        channel = 0
        while channel < job.channels:
            count = min(job.channels - channel, <npy_intp>TURNED_TOGETHER)
            for t in range(9):
                pack(job.gemm, 1, <char*>(packed + t * tap), 0,
                     job.w + t // 3 * job.w_step[1] + t % 3 * job.w_step[2] + channel * job.w_step[3]
                     + (column + first) * job.w_step[4], count, job.w_step[3], min(panel, width - first), job.w_step[4])
            transforms.turn(count * panel, packed, tap, u + first * job.channels + channel * panel, job.u_apart)
            channel += count
        first += panel


cdef void _gather(Job* job, npy_intp tile, npy_intp count, const float* zeros, float* v) noexcept nogil:
    """Transform the pixels of some tiles, one line of tiles after the other."""
    cdef npy_intp end = tile + count, stop, row, column, plane, z, y, x
    cdef const Winograd* transforms = lz_find_winograd(job.gemm.panel)
    cdef const float* seen[PLACES]
    cdef char* line[4]
    cdef bint inside
    while tile < end:
        plane, x = tile // (job.down * job.across), tile % job.across
        stop = min(end, tile - x + job.across)
        z = plane % job.out[1] * job.stride[0] + job.first[0]
        y = tile // job.across % job.down * 2 + job.first[1]
        x = 2 * x + job.first[2]
        for row in range(4):
            inside = 0 <= z < job.extent[0] and 0 <= y + row < job.extent[1]
            line[row] = job.x + plane // job.out[1] * job.x_step[0] + z * job.x_step[1] + (y + row) * job.x_step[2] \
                if inside else NULL
        while tile < stop:
            for column in range(4):
                inside = 0 <= x + column < job.extent[2]
                for row in range(4):
                    seen[4 * row + column] = <const float*>(line[row] + (x + column) * job.x_step[3]) \
                        if inside and line[row] is not NULL else zeros
            transforms.gather(job.channels, seen, v, job.v_apart)
            v += job.v_row
            tile += 1
            x += 2


cdef void _multiply(Job* job, npy_intp count, npy_intp width, float* u, float* v, float* m) noexcept nogil:
    cdef npy_intp place, channel, start = 0
    cdef Terms terms
    cdef Panels panels
    terms.runs, terms.start = 1, &start
    panels.ldb, panels.apart = job.gemm.panel, job.channels * job.gemm.panel
    for place in range(PLACES):
        channel = 0
        while channel < job.channels:
            terms.length = min(job.channels - channel, <npy_intp>TERMS)
            panels.data = <char*>(u + place * job.u_apart + channel * job.gemm.panel)
            multiply(job.gemm, count, width, &terms, <char*>(v + place * job.v_apart + channel), job.v_row, False,
                     &panels, <char*>(m + place * job.m_apart), job.m_row, channel > 0)
            channel += terms.length


cdef void _scatter(Job* job, int thread, npy_intp begin, npy_intp tile, npy_intp count, npy_intp column,
                   npy_intp width, const float* m, float* spare) noexcept nogil:
    """Transform products to results; those beyond an edge go to spare memory. Deliver complete lines."""
    cdef npy_intp end = tile + count, stop, plane, y, x
    cdef const Winograd* transforms = lz_find_winograd(job.gemm.panel)
    cdef float* made[4]
    cdef float check[LZ_WIDEST]
    cdef char* upper
    cdef char* lower
    while tile < end:
        memset(check, 0, sizeof(check))
        plane, y, x = tile // (job.down * job.across), tile // job.across % job.down * 2, tile % job.across
        stop = min(end, tile - x + job.across)
        upper = position(job, plane * job.out[2] + y, 2 * x) + column * ITEM
        lower = upper + job.y_step[2] if y + 1 < job.out[2] else NULL
        x *= 2
        while tile < stop:
            made[0] = <float*>upper
            made[1] = <float*>(upper + job.y_step[3]) if x + 1 < job.out[3] else spare
            made[2], made[3] = spare, spare
            if lower is not NULL:
                made[2] = <float*>lower
                made[3] = <float*>(lower + job.y_step[3]) if x + 1 < job.out[3] else spare
                lower += 2 * job.y_step[3]
            upper += 2 * job.y_step[3]
            transforms.scatter(width, m, job.m_apart, made, check)
            m += job.m_row
            tile += 1
            x += 2
        _deliver(job, thread, plane, y, check, tile % job.across == 0 and tile - job.across >= begin)


cdef inline void _deliver(Job* job, int thread, npy_intp plane, npy_intp y, const float* check,
                          bint complete) noexcept nogil:
    """Mark the two lines of a line of tiles for non-finite results, or hand them over."""
    cdef npy_intp line, i
    cdef bint finite = True
    cdef char* start
    for i in range(LZ_WIDEST):
        finite &= check[i] == 0
    for line in range(plane * job.out[2] + y, plane * job.out[2] + min(y + 2, job.out[2])):
        if not finite:
            job.doubtful[line] = True
        if complete and job.epilogue is not NULL and not job.doubtful[line]:
            start = position(job, line, 0)
            hand_over(job.epilogue, thread, start, start + job.out[3] * job.y_step[3] + job.beyond, &job.watch.flags)
