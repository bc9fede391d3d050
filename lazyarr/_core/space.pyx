# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Laying out the iteration space of a tile program, once a run.

    axes sorted by stride, length-1 axes dropped, neighbours merged

        kept outer axes   folded axes   inner axis
       [ k0   k1   ... ] [ r0  r1 ... ] [   L    ]        rows = every index but the inner one

The space is cut into blocks that fit the first-level cache:

    long rows  (L >= LONG_ROW)   a block is a piece of one row; operands are used where they lie
    short rows                   a block is several whole rows; operands that are not contiguous across
                                 rows are gathered into (scattered from) contiguous scratch
    short rows with gaps         as before, but most loads are windows with one distance between their rows: a block
                                 takes along what lies there, and what is made of it is not stored
"""
from cpython.object cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.loops cimport LOOP_SERIAL
from lazyarr._core.node cimport UPDATE, VIEW, Node
from lazyarr._core.program cimport TileProgram

cdef enum:
    LONG_ROW = 384          # from here on a row amortises the calls over it
    MIN_TILE = 256
    MAX_TILE = 8192
    CHUNK_STEPS = 16        # blocks that are folded into one partial result
    UNDIVIDED = 1 << 18     # elements that are not worth more than one partial result an output, where rows are kept
    MAX_SPOILED = 2         # runs of a program in which gaps set flags, after which it takes none along


cdef extern from *:
    """
    #if defined(__linux__)
    #include <unistd.h>
    #endif
    static npy_intp lz_cache_size(int level)
    {
    #if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
        long size = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
        if (size > 0) return size;
    #endif
        return level == 1 ? 32768 : 1048576;
    }
    """
    npy_intp lz_cache_size(int level) noexcept nogil

# What a block's operands may take together: they are to stay in the first-level cache beside what streams through.
cdef npy_intp TILE_BYTES = lz_cache_size(1) * 5 // 6

# Operands that take more than this together come from memory, not from a cache of the cores.
cdef npy_intp STREAM_BYTES = 4 * lz_cache_size(2)

# What was read this long ago is still in a cache of its core.
cdef npy_intp NEAR_BYTES = lz_cache_size(2) // 8

# With more than this, a result will have left every cache before it is read again.
cdef npy_intp BYPASS_BYTES = 8 * STREAM_BYTES


def set_tile_bytes(npy_intp nbytes):
    """Size blocks so that their operands take `nbytes` together; for measurements."""
    global TILE_BYTES
    if nbytes < 1024:
        raise ValueError(f"tile_bytes must be at least 1024, got {nbytes}")
    TILE_BYTES = nbytes


def set_stream_bytes(npy_intp stream, npy_intp bypass):
    """Treat operands of more than `stream` bytes as coming from memory, results beside more than `bypass` as going
    there; returns what held before. For tests and measurements."""
    global STREAM_BYTES, BYPASS_BYTES
    before = STREAM_BYTES, BYPASS_BYTES
    STREAM_BYTES, BYPASS_BYTES = stream, bypass
    return before


# ---- memory of a run: grown, kept, reused --------------------------------------------------------------
# Evaluations hold one lock. A signal handler that evaluates arrays in the middle of a run nests: it has its own arena.

cdef enum:
    MAX_RUNS = 16

cdef char* _arenas[MAX_RUNS]
cdef size_t _arena_sizes[MAX_RUNS]
cdef int _runs = -1
memset(_arenas, 0, sizeof(_arenas))
memset(_arena_sizes, 0, sizeof(_arena_sizes))


cdef char* reserve(size_t nbytes) except NULL:
    if nbytes > _arena_sizes[_runs]:
        free(_arenas[_runs])
        _arena_sizes[_runs] = 0
        _arenas[_runs] = <char*>malloc(nbytes + nbytes // 4 + 128)
        if _arenas[_runs] is NULL:
            raise MemoryError()
        _arena_sizes[_runs] = nbytes + nbytes // 4
    return <char*>((<size_t>_arenas[_runs] + 63) & ~<size_t>63)


cdef int enter_run() except -1:
    """Start using the arena of this nesting depth."""
    global _runs
    if _runs + 1 == MAX_RUNS:
        raise RecursionError("evaluations nested too deeply")
    _runs += 1
    return 0


cdef void leave_run() noexcept:
    global _runs
    _runs -= 1


cdef char* grow(Job* job, size_t fixed, size_t total) except NULL:
    """Reserve `total` bytes, keeping the first `fixed`; pointers into that part are moved along."""
    cdef char* old = <char*>job.operands
    cdef char* saved
    cdef char* fresh
    cdef npy_intp shift
    cdef int k
    if total <= _arena_sizes[_runs]:
        return old
    saved = <char*>malloc(fixed)
    if saved is NULL:
        raise MemoryError()
    memcpy(saved, old, fixed)
    try:
        fresh = reserve(total)
        memcpy(fresh, saved, fixed)
    finally:
        free(saved)
    shift = fresh - old
    job.operands = <Operand*>fresh
    job.shape = <npy_intp*>(<char*>job.shape + shift)
    job.partial = <char**>(<char*>job.partial + shift)
    job.fold_scratch = <npy_intp*>(<char*>job.fold_scratch + shift)
    for k in range(job.noperand):
        if job.operands[k].strides is not NULL:
            job.operands[k].strides = <npy_intp*>(<char*>job.operands[k].strides + shift)
    return fresh


# ---- laying out the iteration space -------------------------------------------------------------------


cdef void _load_strides(Node node, int ndim, npy_intp* shape, npy_intp* out) noexcept nogil:
    """The node's strides against the iteration space: right-aligned, 0 where it is broadcast."""
    cdef int lead = ndim - node.ndim, i
    for i in range(lead):
        out[i] = 0
    for i in range(node.ndim):
        out[lead + i] = 0 if node.shape[i] == 1 else node.strides[i]


cdef bint _before(npy_intp* strides, int noperand, int ndim, int a, int b) noexcept nogil:
    """Whether axis a belongs further out than axis b: the first operand that moves along both decides."""
    cdef int k
    cdef npy_intp sa, sb
    for k in range(noperand):
        sa = strides[k * ndim + a]
        sb = strides[k * ndim + b]
        if sa and sb:
            sa = -sa if sa < 0 else sa
            sb = -sb if sb < 0 else sb
            if sa != sb:
                return sa > sb
    return a < b


cdef npy_intp lay_out(Job* job, TileProgram program, PyObject** nodes, int* nkept, npy_intp** fold_strides,
                      size_t* used) except -1:
    """Fill a zeroed `job` for a program whose loads and stores have their memory.

    Returns the number of elements of the space (0: nothing to do); `used` is what the layout takes of the arena.
    """
    cdef Node space_node, node
    cdef int ndim, i, k, d, noperand = program.nload + program.nreg + program.nstore
    cdef int nmoving = noperand + program.nfold     # registers have no strides, outputs of folds do
    cdef npy_intp* shape
    cdef npy_intp n = 1
    space_node = <Node>nodes[program.space]
    ndim = space_node.ndim
    shape = space_node.shape
    for i in range(ndim):
        n *= shape[i]
    if n == 0:
        return 0

    job.nload, job.nreg, job.nstore = program.nload, program.nreg, program.nstore
    job.noperand, job.ninstr, job.nfold = noperand, program.ninstr, program.nfold
    job.instrs, job.merged, job.folds = program.instrs, program.merged, program.folds
    job.nmerged = program.nmerged
    job.serial = program.flags & LOOP_SERIAL
    job.numbers = ndim == 0

    # fixed part of the arena: operands, their strides, the shape; generous for the axes before merging
    cdef size_t head = (noperand + program.nfold) * sizeof(Operand)
    cdef size_t strides_bytes = nmoving * (ndim + 1) * sizeof(npy_intp)
    cdef size_t fixed = head + 3 * strides_bytes + 4 * (ndim + 2) * sizeof(npy_intp) \
        + program.nfold * (sizeof(char*) + sizeof(npy_intp)) + 256
    cdef char* memory = reserve(fixed)
    job.operands = <Operand*>memory
    memset(memory, 0, head)
    cdef npy_intp* raw = <npy_intp*>(memory + head)
    cdef npy_intp* merged = raw + nmoving * (ndim + 1)
    job.shape = merged + nmoving * (ndim + 1)
    cdef npy_intp* order = job.shape + ndim + 2
    job.partial = <char**>(order + ndim + 2)
    job.fold_scratch = <npy_intp*>(job.partial + program.nfold)

    # operands: where they start and how they move
    cdef Operand* op
    cdef bint flat = True
    cdef npy_intp* row
    # stores come first in `raw`: their order of axes is the one that counts most
    for k in range(program.nstore):
        node = <Node>nodes[program.store_node[k]]
        op = &job.operands[program.nload + program.nreg + k]
        op.is_store = True
        row = raw + k * ndim
        if node.kind == UPDATE:
            op.base = node.data + node.window_offset
            op.size = (<Node>node.inputs[1]).itemsize
            for i in range(ndim):
                row[i] = node.window[1 + ndim + i]
            flat = flat and n == 1
        else:
            op.base = node.data + node.offset
            op.size = node.itemsize
            for i in range(ndim):
                row[i] = node.strides[i]
            flat = flat and node.contiguous
    for k in range(program.nload):
        node = <Node>nodes[program.load_node[k]]
        op = &job.operands[k]
        op.size = node.itemsize
        if node.kind == VIEW and node.data is NULL:
            op.base = (<Node>node.inputs[0]).data + node.offset
        else:
            op.base = node.data + node.offset
        row = raw + (program.nstore + k) * ndim
        _load_strides(node, ndim, shape, row)
        flat = flat and (node.size == 1 or (node.contiguous and node.size == n))

    cdef int moving = program.nstore + program.nload
    cdef uint64_t folded = 0
    if program.nfold:
        folded = (<Node>nodes[program.folds[0].node]).axes
        flat = False
        for k in range(program.nfold):
            _fold_strides(<Node>nodes[program.folds[k].node], folded, ndim, raw + (moving + k) * ndim)

    # merged axes
    nkept[0] = 0
    cdef int nd = 0, nfolded = 0
    if flat:
        job.shape[0] = n
        nd = 1
        for k in range(moving):
            d = (program.nload + program.nreg + k) if k < program.nstore else k - program.nstore
            merged[k] = 0 if k >= program.nstore and (<Node>nodes[program.load_node[d]]).size == 1 \
                else job.operands[d].size
    else:
        nd = 0
        for i in range(ndim):
            if shape[i] != 1:
                d = nd
                while d > 0 and _before(raw, moving, ndim, i, <int>order[d - 1]):
                    order[d] = order[d - 1]
                    d -= 1
                order[d] = i
                nd += 1
        if program.nfold:
            _group_axes(order, nd, folded, &job.inner_folded, nkept)
        nd = _merge_axes(raw, moving + program.nfold, ndim, shape, order, nd, folded, merged, job.shape, nkept,
                         &nfolded)
        if program.nfold and not job.inner_folded:
            nkept[0] = _hoist_kept(merged, moving + program.nfold, nd, nkept[0], job.shape, nfolded)
    for k in range(moving):
        d = (program.nload + program.nreg + k) if k < program.nstore else k - program.nstore
        job.operands[d].strides = merged + k * nd
        if n == 1 and (k < program.nstore or (<Node>nodes[program.load_node[d]]).ndim):
            merged[k * nd] = job.operands[d].size  # NumPy gives one element to its loops for vectors, a number not
    for k in range(program.nreg):
        op = &job.operands[program.nload + k]
        op.place = REGISTER
        op.size = program.reg_size[k]
        op.step = op.size
    job.ndim = nd
    job.row = job.shape[nd - 1]
    job.rows = 1 if nd == 1 else n // job.row
    job.pitch = job.row
    if nd == 2 and program.nfold == 0 and program.whole and not job.serial and program.spoiled < MAX_SPOILED:
        job.pitch = _common_pitch(job)
    _choose_tile(job)
    if program.nfold:
        _plan_folds(job, nkept[0])
    else:
        job.units = job.rows * job.pieces if job.long_rows else (job.rows + job.tile - 1) // job.tile
    fold_strides[0] = merged + moving * nd
    used[0] = fixed
    return n


cdef void _fold_strides(Node out, uint64_t folded, int ndim, npy_intp* row) noexcept nogil:
    """The strides of a fold's result along the axes of the space it folds: 0 along the folded ones."""
    cdef int axis, d = 0
    for axis in range(ndim):
        if (folded >> axis) & 1:
            row[axis] = 0
            d += out.attr
        else:
            row[axis] = out.strides[d]
            d += 1


cdef void _group_axes(npy_intp* order, int nd, uint64_t folded, bint* inner_folded, int* nkept) noexcept nogil:
    """Reorder sorted axes for folding: kept, folded, and the run of kept axes that was innermost stays so.

    Where every folded axis has length 1 nothing is folded: all axes are the innermost run, the fold copies.
    """
    cdef npy_intp sorted_axes[64]
    cdef int i, out = 0, last
    if nd == 0:
        inner_folded[0] = False
        nkept[0] = 0
        return
    for i in range(nd):
        sorted_axes[i] = order[i]
    last = nd - 1
    inner_folded[0] = (folded >> sorted_axes[last]) & 1
    if not inner_folded[0]:
        while last > 0 and not (folded >> sorted_axes[last - 1]) & 1:
            last -= 1
    else:
        last = nd
    for i in range(last):
        if not (folded >> sorted_axes[i]) & 1:
            order[out] = sorted_axes[i]
            out += 1
    nkept[0] = out
    for i in range(last):
        if (folded >> sorted_axes[i]) & 1:
            order[out] = sorted_axes[i]
            out += 1
    for i in range(last, nd):
        order[out] = sorted_axes[i]
        out += 1


cdef int _hoist_kept(npy_intp* merged, int moving, int nd, int nkept, npy_intp* shape, int nfolded) noexcept nogil:
    """Of the inner run of kept axes only the last stays inside: [kept][folded][run][inner] becomes
    [kept][run][folded][inner]. Returns the number of kept outer axes."""
    cdef npy_intp moved[64]
    cdef int k, i, run = nd - nkept - nfolded - 1
    cdef npy_intp* row
    if run <= 0:
        return nkept
    for k in range(-1, moving):
        row = shape if k < 0 else merged + k * nd
        for i in range(nfolded):
            moved[i] = row[nkept + i]
        for i in range(run):
            row[nkept + i] = row[nkept + nfolded + i]
        for i in range(nfolded):
            row[nkept + run + i] = moved[i]
    return nkept + run


cdef int _merge_axes(npy_intp* raw, int moving, int ndim, npy_intp* shape, npy_intp* order, int nd, uint64_t folded,
                     npy_intp* merged, npy_intp* out_shape, int* nkept, int* nfolded) noexcept nogil:
    """Merge neighbouring axes that every operand walks as one; returns how many are left (at least 1).

    Writes strides row by row (operand-major, dense) and keeps kept and folded axes apart.
    """
    cdef int starts[65]
    cdef int i, k, d = 0, kept = 0
    cdef npy_intp a, b
    cdef bint joins
    if nd == 0:
        out_shape[0] = 1
        for k in range(moving):
            merged[k] = 0
        nkept[0] = 0
        return 1
    for i in range(nd):
        b = order[i]
        joins = i > 0 and i != nkept[0]
        if joins:
            a = order[i - 1]
            joins = ((folded >> a) & 1) == ((folded >> b) & 1)
            if joins:
                for k in range(moving):
                    if raw[k * ndim + a] != raw[k * ndim + b] * shape[b]:
                        joins = False
                        break
        if joins:
            out_shape[d - 1] *= shape[b]
            starts[d - 1] = <int>b
        else:
            out_shape[d] = shape[b]
            starts[d] = <int>b
            if i < nkept[0]:
                kept = d + 1
            elif (folded >> b) & 1:
                nfolded[0] += 1
            d += 1
    for k in range(moving):
        for i in range(d):
            merged[k * d + i] = raw[k * ndim + starts[i]]
    nkept[0] = kept
    return d


cdef npy_intp _full_tree(npy_intp pieces) noexcept nogil:
    """At least so many pieces that their partial sums form a full binary tree: a lopsided one rounds more often."""
    cdef npy_intp full = 1
    while full < pieces:
        full *= 2
    return full


cdef void _choose_tile(Job* job) noexcept nogil:
    """Tile size, and how each operand is reached: a block's operands together fit the first-level cache."""
    cdef npy_intp bytes_each = 0, tile, expect
    cdef int k, d, nd = job.ndim
    cdef Operand* op
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place == REGISTER or op.strides[nd - 1] != 0:
            bytes_each += op.size
    for k in range(job.nfold):
        bytes_each += job.folds[k].loop.sizes[1]
    job.streams = job.row * job.rows * bytes_each > STREAM_BYTES
    if not job.nfold:  # how a fold is cut depends on the extents alone
        job.streams = job.streams and _bytes_in_memory(job) > STREAM_BYTES
    # a streaming block shares the cache with the next one, which is on its way
    tile = (TILE_BYTES // 2 if job.streams else TILE_BYTES) // (bytes_each if bytes_each else 1)
    tile = min(max(tile, <npy_intp>MIN_TILE), <npy_intp>MAX_TILE) & ~<npy_intp>63
    job.long_rows = nd == 1 or job.row >= LONG_ROW
    if job.long_rows and job.row <= tile:
        job.pieces = 1
        job.tile = job.row
    elif job.long_rows:
        job.pieces = (job.row + tile - 1) // tile
        if job.inner_folded:
            job.pieces = _full_tree(job.pieces)
        # even pieces: 1,025 elements are better cut 576 + 449 than 1,024 + 1
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
    if job.streams:
        _let_foremost_flow(job)


cdef inline bint _has_pitch(Operand* op, npy_intp pitch) noexcept nogil:
    return op.strides[1] == op.size and op.strides[0] == pitch * op.size


cdef npy_intp _common_pitch(Job* job) noexcept nogil:
    """The distance between rows, in elements, that loads have in common; the row's length where packing is better."""
    cdef npy_intp pitch = job.row
    cdef int k, spared = 0   # rows that need not be copied, less those that otherwise would not need it
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
    """What loads and stores take together; overlapping ones, such as the windows of a stencil, count once."""
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
    """Of loads a few rows apart, the foremost brings the lines of all."""
    cdef npy_intp distance
    cdef int k, j
    for k in range(job.nload):
        for j in range(job.nload):
            distance = job.operands[j].base - job.operands[k].base
            if job.operands[j].flows and (0 < distance < NEAR_BYTES or distance == 0 and j < k):
                job.operands[k].flows = False
                break


cdef bint _is_loaded(Job* job, Operand* store) noexcept nogil:
    """Whether a store goes where a load comes from: its lines are in the cache already."""
    cdef int k
    for k in range(job.nload):
        if job.operands[k].base == store.base:
            return True
    return False


cdef void _plan_folds(Job* job, int nkept) noexcept nogil:
    """Decide blocks and partial results of the folds; a function of the extents alone.

    inner axis folded, short rows, one row an output     several outputs a block, no partials
    inner axis folded otherwise                          chunks of STEPS blocks, pairwise inside and across
    inner axis kept                                      rows accumulate into a row; chunks where outputs are few
    """
    cdef int d
    cdef npy_intp steps
    job.kept = 1
    for d in range(nkept):
        job.kept *= job.shape[d]
    job.width = 1 if job.inner_folded else job.row
    job.fold_rows = job.rows // job.kept
    if job.inner_folded and not job.long_rows and job.fold_rows == 1:
        job.chunks = 1
        job.units = (job.rows + job.tile - 1) // job.tile
        return
    if job.inner_folded:
        steps = job.fold_rows * job.pieces if job.long_rows else (job.fold_rows + job.tile - 1) // job.tile
        job.chunk_rows = steps if job.kept >= 256 else CHUNK_STEPS
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
