# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Tiling: cut an iteration space into blocks that fit the first-level cache, and choose the access to operands.

    long rows  (L >= LONG_ROW)   a block is a piece of one row; operands are used in place
    short rows                   a block is several whole rows; operands that are not contiguous across
                                 rows are gathered into (scattered from) the workspace
    short rows with gaps         as before, but most loads have the same distance between rows: a block
                                 includes the gaps, and results there are not stored
"""
from numpy cimport npy_intp

from lazyarr._core.host.tunables cimport tunable_bytes
from lazyarr._core.ir.loop_table cimport INTERLEAVED_LINES
from lazyarr._core.ir.node cimport byte_range
from lazyarr._core.ir.tile_program cimport SCANS
from lazyarr._core.tile.job cimport DIRECT, HELD, PACKED, REGISTER, STREAMED, Job, Operand, blocks_of_line, kept_axis
from lazyarr._core.tile.strided_copy cimport plan_copy

cdef enum:
    LONG_ROW = 384          # shortest row that amortises the calls
    MIN_TILE = 256
    WORTH_HOLDING = 5       # instructions whose status reads cost as much as a copy
    MAX_TILE = 8192
    CHUNK_STEPS = 16        # blocks per partial result
    UNDIVIDED = 1 << 18     # largest size with one partial result per output, where rows are kept
    WALKED = 1 << 14        # elements from which on folded axes are traversed outside kept ones
    NARROW = 64             # elements; it pays off to gather shorter rows
    WALK_TILE = 1 << 15     # elements of a block that is folded in place
    PASSES = 3              # passes over a block that make prefetching worthwhile; with fewer, the hardware suffices
    IN_PLACE = CHUNK_STEPS  # blocks folded in place need not fit a cache: they are larger by this factor
    ABREAST = 16            # rows folded together
    LEAST_TILE = 1 << 12    # smallest such block cut for more threads
    ENOUGH_UNITS = 16
    MAX_PARTIALS = 1 << 16  # elements of partial results
    ORDERED_ROW = 512       # shortest row folded in order
    LONG_SEARCH = 1 << 12   # shortest line searched in chunks


cdef extern from *:
    """
    #if defined(__linux__)
    #include <unistd.h>
    #endif
    static npy_intp lz_cache_size(int level)
    {
    #if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
        long size = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : level == 2 ? _SC_LEVEL2_CACHE_SIZE
                                                                             : _SC_LEVEL3_CACHE_SIZE);
        if (size > 0) return size;
    #endif
        return level == 1 ? 32768 : 1048576;
    }
    """
    npy_intp lz_cache_size(int level) noexcept nogil

# Bytes of a block's operands together: they should stay in the first-level cache beside streamed data.
cdef npy_intp TILE_BYTES = lz_cache_size(1) * 5 // 6

# Usable share of the last-level cache, which other processes use, too.
cdef npy_intp SHARED_BYTES = min(lz_cache_size(3), <npy_intp>(32 << 20))

# Operands of more than this in total come from memory, not from a cache.
cdef npy_intp STREAM_BYTES = max(4 * lz_cache_size(2), SHARED_BYTES // 2)

# Data read this many bytes ago is still in a core's cache.
cdef npy_intp NEAR_BYTES = lz_cache_size(2) // 8

# Above this, a result has left every cache before it is read again.
cdef npy_intp BYPASS_BYTES = max(32 * lz_cache_size(2), SHARED_BYTES)

# Programs without folds have tunable sizes. Sizes for folds are fixed, as they change the order of sums.
cdef npy_intp MAP_TILE_BYTES = TILE_BYTES
cdef npy_intp MAP_STREAM_BYTES = STREAM_BYTES
tunable_bytes("elementwise.tile_bytes", &MAP_TILE_BYTES, 4096, 1 << 20,
              "What the operands of a block take together, where nothing is summed.")
tunable_bytes("elementwise.stream_bytes", &MAP_STREAM_BYTES, 1 << 16, 1 << 34,
              "Operands that take more come from memory: blocks are halved, and the next one is fetched ahead.")
tunable_bytes("elementwise.bypass_bytes", &BYPASS_BYTES, 1 << 18, 1 << 36,
              "Results beside operands that take more with them are written past the caches.")


def set_tile_bytes(npy_intp nbytes):
    """Set the total bytes of a block's operands; for measurements."""
    global TILE_BYTES, MAP_TILE_BYTES
    if nbytes < 1024:
        raise ValueError(f"tile_bytes must be at least 1024, got {nbytes}")
    TILE_BYTES = MAP_TILE_BYTES = nbytes


def set_stream_bytes(npy_intp stream, npy_intp bypass):
    """Set the total operand bytes above which operands come from memory, and results bypass the caches.

    Returns the old sizes. For tests and measurements.
    """
    global STREAM_BYTES, MAP_STREAM_BYTES, BYPASS_BYTES
    before = STREAM_BYTES, BYPASS_BYTES
    STREAM_BYTES = MAP_STREAM_BYTES = stream
    BYPASS_BYTES = bypass
    return before


cdef void cut(Job* job, bint gaps) noexcept nogil:
    """Cut the space of `job`, whose axes and operands are set; `gaps` says whether blocks may include gaps."""
    job.pitch = job.row
    if plan_copy(job):
        return
    if gaps and job.ndim == 2 and job.nfold == 0 and not job.serial:
        job.pitch = _common_pitch(job)
    _choose_tile(job)
    if job.nfold:
        _plan_folds(job)
    else:
        job.units = job.rows * job.pieces if job.long_rows else (job.rows + job.tile - 1) // job.tile


cdef void end_at_rows(Job* job, npy_intp columns) noexcept nogil:
    """Cut a space of one line so that units end at rows of `columns` elements, if their size permits."""
    cdef npy_intp tile = 0, parts
    if not job.long_rows or job.rows != 1 or job.nfold:
        return
    for parts in range(1, 2 * job.tile // columns + 1):
        if parts * columns % 64 == 0:
            tile = parts * columns
    parts = 2
    while tile == 0 and parts * job.tile < 2 * columns:
        if columns % parts == 0 and columns // parts % 64 == 0 and columns // parts <= job.tile:
            tile = columns // parts
        parts += 1
    if tile:
        job.tile = min(tile, job.row)
        job.pieces = (job.row + job.tile - 1) // job.tile
        job.units = job.pieces


cdef npy_intp _full_tree(npy_intp pieces) noexcept nogil:
    """Round `pieces` up so that partial sums form a full binary tree: a lopsided one rounds more often."""
    cdef npy_intp full = 1
    while full < pieces:
        full *= 2
    return full


cdef void _choose_tile(Job* job) noexcept nogil:
    """Choose the tile size and the access to each operand: a block's operands fit the first-level cache."""
    cdef npy_intp bytes_each = 0, expect
    cdef npy_intp tile = TILE_BYTES if job.nfold else MAP_TILE_BYTES
    cdef npy_intp stream = STREAM_BYTES if job.nfold else MAP_STREAM_BYTES
    cdef int k, d, nd = job.ndim
    cdef Operand* op
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place == REGISTER or op.strides[nd - 1] != 0:
            bytes_each += op.size
    for k in range(job.nfold):
        bytes_each += job.folds[k].loop.sizes[1]
    job.streams = job.row * job.rows * bytes_each > stream and not 0 < job.nmerged < PASSES
    if not job.nfold:  # the cutting of folds depends only on extents
        job.streams = job.streams and _bytes_in_memory(job) > stream
    # a streaming block shares the cache with the prefetched next one
    tile = (tile // 2 if job.streams and not job.behind_kernel else tile) // (bytes_each if bytes_each else 1)
    tile = min(max(tile, <npy_intp>MIN_TILE), <npy_intp>MAX_TILE) & ~<npy_intp>63
    job.long_rows = nd == 1 or job.row >= (tile if job.in_order and job.inner_folded else <npy_intp>LONG_ROW)
    if job.in_order and not job.inner_folded:
        tile = min(tile, max(job.row // ENOUGH_UNITS, <npy_intp>ORDERED_ROW)) if job.row >= LONG_ROW else tile
    elif job.long_rows and job.inner_folded and job.ninstr == 0:
        tile *= IN_PLACE
    if job.long_rows and job.row <= tile:
        job.pieces = 1
        job.tile = job.row
    elif job.long_rows:
        job.pieces = (job.row + tile - 1) // tile
        if job.inner_folded and not job.in_order:
            job.pieces = _full_tree(job.pieces)
        # balanced pieces: 1,025 elements are cut 576 + 449 rather than 1,024 + 1
        job.tile = min(job.row, (((job.row + job.pieces - 1) // job.pieces) + 63) & ~<npy_intp>63)
        job.pieces = (job.row + job.tile - 1) // job.tile
    else:
        job.tile = max(tile // job.pitch, <npy_intp>1)
        job.pieces = 1
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place == REGISTER:
            continue
        op.step = op.strides[nd - 1]
        if op.times is not NULL:
            op.place = PACKED
        if job.long_rows:
            if op.step != op.size and (op.step != 0 or op.is_store) and job.row > 1 and job.ninstr > 1:
                op.place = PACKED
        elif job.pitch != job.row:
            if op.is_store or (op.strides[0] or op.strides[1]) and not _has_pitch(op, job.pitch):
                op.place = PACKED
                op.constant = not op.is_store and op.strides[0] == 0
        else:
            expect = op.strides[nd - 1] * job.row
            for d in range(nd - 2, -1, -1):
                if op.strides[d] != expect:
                    op.place = PACKED
                    break
                expect *= job.shape[d]
            if op.place == DIRECT and op.step != op.size and (op.step != 0 or op.is_store):
                op.place = PACKED
            if op.place == PACKED and not op.is_store:
                op.constant = True
                for d in range(nd - 1):
                    if op.strides[d]:
                        op.constant = False
        if op.place == PACKED:
            op.step = op.size
        elif op.step == op.size and not op.is_store:
            op.flows = not job.long_rows or nd == 1 or op.strides[nd - 2] == 0 \
                or 0 <= op.strides[nd - 2] - job.row * op.size <= 1024
        elif op.step == op.size and nd == 1 and job.row * bytes_each > BYPASS_BYTES and not _is_loaded(job, op):
            op.place = STREAMED
            job.bypasses = True
    job.in_place = _are_in_place(job)
    if job.nfold and not job.long_rows and job.in_place and (job.inner_folded or not job.in_order):
        tile = min(IN_PLACE * job.tile, job.rows // ENOUGH_UNITS)
        job.tile = max(job.tile, tile - tile % ABREAST)
    if job.streams:
        _let_foremost_flow(job)


cdef bint _are_in_place(Job* job) noexcept nogil:
    """Return whether the operands of folds are in memory, contiguously for ordered folds."""
    cdef int k
    cdef Operand* op
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place != DIRECT or job.in_order and op.step != op.size:
            return False
    return job.ninstr == 0


cdef inline bint _has_pitch(Operand* op, npy_intp pitch) noexcept nogil:
    return op.strides[1] == op.size and op.strides[0] == pitch * op.size


cdef npy_intp _common_pitch(Job* job) noexcept nogil:
    """Return the common distance between rows of loads in elements; the row length if packing is better."""
    cdef npy_intp pitch = job.row
    cdef int k, spared = 0   # rows saved from copying, minus those copied additionally
    cdef Operand* op
    if job.row >= LONG_ROW:
        return job.row
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place == REGISTER:
            continue
        if _has_pitch(op, job.row):
            spared -= 1
        elif not op.is_store and op.strides[1] == op.size and op.strides[0] > job.row * op.size:
            if pitch == job.row:
                pitch = op.strides[0] // op.size
            if not _has_pitch(op, pitch):
                return job.row
            spared += 1
    return pitch if spared > 0 and pitch * 4 <= job.row * 5 else job.row


cdef npy_intp _bytes_in_memory(Job* job) noexcept nogil:
    """Return the bytes of all loads and stores; overlapping ones, such as stencil windows, count once."""
    cdef npy_intp total = 0, extent, distance
    cdef int k, j, d
    cdef Operand* op
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place == REGISTER:
            continue
        extent = op.size
        for d in range(job.ndim):
            if op.strides[d]:
                extent *= job.shape[d]
        for j in range(k):
            distance = op.base - job.operands[j].base
            if job.operands[j].place != REGISTER and -extent < distance < extent:
                extent = 0
                break
        total += extent
    return total


cdef void _let_foremost_flow(Job* job) noexcept nogil:
    """Of loads a few rows apart, let only the foremost prefetch; it fetches the lines of all."""
    cdef npy_intp distance
    cdef int k, j
    for k in range(job.nload):
        for j in range(job.nload):
            distance = job.operands[j].base - job.operands[k].base
            if job.operands[j].flows and (0 < distance < NEAR_BYTES or distance == 0 and j < k):
                job.operands[k].flows = False
                break


cdef bint _is_loaded(Job* job, Operand* store) noexcept nogil:
    """Return whether a store overwrites a load, whose lines are in the cache already."""
    cdef int k
    for k in range(job.nload):
        if job.operands[k].base == store.base:
            return True
    return False


cdef bint hold_back(Job* job) noexcept nogil:
    """Defer stores over loads to the end of their block, which may then be rerun.

    Returns False if that does not pay off, or if they do not overlap element by element.
    """
    cdef int k, held = 0
    cdef int first = job.nload + job.nreg
    for k in range(first, job.noperand):
        if not _are_apart_or_one(job, &job.operands[k]):
            return False
        held += _is_direct_onto_load(job, &job.operands[k])
    if job.ninstr <= WORTH_HOLDING * held:
        return False
    for k in range(first, job.noperand):
        if _is_direct_onto_load(job, &job.operands[k]):
            job.operands[k].place = HELD
    return True


cdef bint _are_apart_or_one(Job* job, Operand* store) noexcept nogil:
    cdef int k
    for k in range(job.nload):
        if not _are_one(job, store, &job.operands[k]) and not _are_apart(job, store, &job.operands[k]):
            return False
    return True


cdef bint _is_direct_onto_load(Job* job, Operand* store) noexcept nogil:
    return store.place == DIRECT and _is_loaded(job, store)


cdef bint _are_one(Job* job, Operand* a, Operand* b) noexcept nogil:
    cdef int d
    for d in range(job.ndim):
        if a.strides[d] != b.strides[d]:
            return False
    return a.base == b.base and a.size == b.size and b.times is NULL and (a.place != DIRECT or a.step == a.size)


cdef bint _are_apart(Job* job, Operand* a, Operand* b) noexcept nogil:
    """Return whether the address ranges of two operands are disjoint."""
    cdef npy_intp low_a, high_a, low_b, high_b
    byte_range(job.ndim, job.shape, a.strides, a.size, &low_a, &high_a)
    byte_range(job.ndim, job.shape, b.strides, b.size, &low_b, &high_b)
    return a.base + high_a <= b.base + low_b or b.base + high_b <= a.base + low_a


cdef bint is_walk_worth_it(Job* job, npy_intp among, npy_intp below, npy_intp row, int nd) noexcept nogil:
    """Return whether to traverse folded axes outside a kept one of extent `among` with `below` rows folded inside."""
    cdef npy_intp n = 1
    cdef int d
    for d in range(nd):
        n *= job.shape[d]
    return n >= WALKED and row < LONG_ROW and (job.inner_folded or below * row >= NARROW)


cdef void _plan_walk(Job* job) noexcept nogil:
    """Cut [outer][walk][among][below][row] into units, which are outputs, and these into blocks."""
    cdef npy_intp most = job.tile * job.row, each = job.below * job.row, outer = 1, parts
    cdef int d
    for d in range(job.outer):
        outer *= job.shape[d]
    if job.in_place:
        most = WALK_TILE
    parts = (ENOUGH_UNITS + outer - 1) // outer
    job.among_tile = min(job.among, max(job.among // parts, (LEAST_TILE + each - 1) // each))
    job.among_tile = max(min(job.among_tile, most // each), <npy_intp>1)
    job.pieces = (job.among + job.among_tile - 1) // job.among_tile
    job.among_tile = (job.among + job.pieces - 1) // job.pieces
    job.pieces = (job.among + job.among_tile - 1) // job.among_tile
    job.below_tile = min(job.below, max(most // job.row, <npy_intp>1)) if job.among_tile == 1 else job.below
    job.chunk_rows = job.walk
    if outer * job.pieces < ENOUGH_UNITS and job.rows * job.row > UNDIVIDED \
            and 8 * job.kept * job.width <= MAX_PARTIALS:
        job.chunk_rows = max((job.walk + 7) // 8, <npy_intp>2)
    job.chunks = (job.walk + job.chunk_rows - 1) // job.chunk_rows
    job.walk_tile = 1
    if job.pieces == 1 and job.below_tile == job.below:
        job.walk_tile = min(job.chunk_rows, max(most // (job.among * each), <npy_intp>1))
    job.tile = job.walk_tile * job.among_tile * job.below_tile
    job.units = outer * job.chunks * job.pieces


cdef void _plan_in_order(Job* job) noexcept nogil:
    """Choose chunks and units of ordered folds (ordered_reduce.pyx).

    A chunk is a number of blocks of a line, or of rows if the inner axis is kept.
    """
    cdef npy_intp steps, outputs, along
    job.chunks = 1
    if job.inner_folded and not job.long_rows and job.fold_rows == 1:
        job.units = (job.rows + job.tile - 1) // job.tile
        return
    if job.inner_folded and job.in_order == SCANS and job.kept > 1:
        along = job.shape[job.ndim - 2]
        job.lines = min(max(job.kept // ENOUGH_UNITS, <npy_intp>1), <npy_intp>INTERLEAVED_LINES)
        job.units = job.kept // along * ((along + job.lines - 1) // job.lines)
        return
    outputs = job.kept if job.inner_folded else job.kept * job.pieces
    steps = blocks_of_line(job) if job.inner_folded else job.fold_rows
    job.chunk_rows = steps
    if job.in_order == SCANS:
        job.in_turn = outputs == 1 and job.costly
        if job.in_turn:
            job.chunk_rows = 1 if job.inner_folded else INTERLEAVED_LINES if job.long_rows else job.tile
    elif outputs < ENOUGH_UNITS and job.rows // job.kept * job.row // job.width >= LONG_SEARCH:
        job.chunk_rows = max((steps + ENOUGH_UNITS - 1) // ENOUGH_UNITS, <npy_intp>1)
    job.chunks = (steps + job.chunk_rows - 1) // job.chunk_rows
    job.units = outputs * job.chunks


cdef void _plan_folds(Job* job) noexcept nogil:
    """Choose blocks and partial results of folds, from extents and layout but not the number of threads.

        folded axes walked outside a kept one                several outputs, over which blocks go again and again
        inner axis folded, short rows, one row per output    several outputs per block, no partial results
        inner axis folded otherwise                          chunks of CHUNK_STEPS blocks, pairwise inside and across
        inner axis kept                                      rows accumulate into a row; chunks if outputs are few
    """
    cdef int d
    cdef npy_intp steps
    job.kept = 1
    for d in range(job.nkept):
        job.kept *= job.shape[kept_axis(job, d)]
    job.width = 1 if job.inner_folded else job.row
    job.fold_rows = job.rows // job.kept
    if job.in_order:
        _plan_in_order(job)
        return
    if job.walked:
        _plan_walk(job)
        return
    if job.inner_folded and not job.long_rows and job.fold_rows == 1:
        job.chunks = 1
        job.units = (job.rows + job.tile - 1) // job.tile
        return
    if job.inner_folded:
        steps = blocks_of_line(job)
        job.chunk_rows = steps if job.kept >= 256 else 1 if job.in_place else CHUNK_STEPS
        job.chunks = (steps + job.chunk_rows - 1) // job.chunk_rows
        job.units = job.kept * job.chunks
        return
    # inner axis kept: steps are rows (long) or groups of rows (short)
    steps = job.fold_rows if job.long_rows else (job.fold_rows + job.tile - 1) // job.tile
    if job.kept * job.pieces >= 16 or job.rows * job.row <= UNDIVIDED:
        job.chunk_rows = steps
    else:
        job.chunk_rows = max((steps + 7) // 8, <npy_intp>8)
    job.chunks = (steps + job.chunk_rows - 1) // job.chunk_rows
    job.units = job.kept * job.pieces * job.chunks
