# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Folds: reductions at the end of a tile program.

`loop_nest.pyx` and `tiling.pyx` choose one of four patterns for a run:

    folded axes outside kept ones    blocks of a chunk go into several outputs, or rows of the result, again and again
    short rows, inner axis folded    a block of whole rows, one output each
    inner axis folded                blocks of a chunk combined pairwise, like the carries of a binary counter
    inner axis kept                  rows of a chunk accumulate into one row of the result

The partial results of chunks are combined in a tree at the end. Those of sums of float16 are of float32 as in NumPy's
loop, and rounded once, at the end.
"""
cimport numpy as cnp
from libc.string cimport memcpy
from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fp_clear, lz_fp_take
from lazyarr._core.ir.data_loops cimport cast_loop
from lazyarr._core.ir.inner_loops cimport find_ufunc, resolve
from lazyarr._core.ir.loop_table cimport LOOP_ORDERED, LOOP_STATUS, NPY_HALF, Loop
from lazyarr._core.ir.node cimport MAX_DIMS, Node, dense_strides, first_element
from lazyarr._core.ir.overlap cimport copy_nd
from lazyarr._core.ir.tile_program cimport MAX_OPERANDS
from lazyarr._core.ir.ufunc_traits cimport PRODUCT, SUM
from lazyarr._core.tile.block cimport run_block
from lazyarr._core.tile.job cimport DIRECT, MAX_LEVELS, Job, Operand, block_of_line, blocks_of_line, kept_axis
from lazyarr._core.tile.ordered_reduce cimport combine_extrema, in_order_scratch

import numpy as np

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil

cdef enum:
    VECTOR = 64             # bytes; narrower rows are reduced by halves, many at once
    LONG_RUN = 32           # elements from which on sums use many lanes
    IN_A_ROW = 128          # rows summed sequentially, eight at a time
    PAIRWISE = 128          # elements that NumPy sums in one loop; more by halves
    ROUNDED = 256           # float16 sums that are rounded together

cdef Loop* _to_float = cast_loop(NPY_HALF, cnp.NPY_FLOAT)
cdef Loop* _to_half = cast_loop(cnp.NPY_FLOAT, NPY_HALF)
cdef Loop* _add_floats = resolve(find_ufunc(np.add), [<int>cnp.NPY_FLOAT, <int>cnp.NPY_FLOAT]).loop


cdef Loop* parts_of(Loop* loop) noexcept nogil:
    """Return the loop that combines a fold's partial results."""
    return _add_floats if loop.types[0] == NPY_HALF and loop.traits & SUM else loop


cdef inline bint _may_overflow(Loop* loop) noexcept nogil:
    """Return whether results are floats, for which the order of factors decides whether a product overflows."""
    return loop.types[0] == NPY_HALF or cnp.NPY_FLOAT <= loop.types[0] <= cnp.NPY_CLONGDOUBLE


cdef inline bint _sums_halves(Loop* loop) noexcept nogil:
    return parts_of(loop) is not loop


cdef inline void _call(Loop* loop, char* a, npy_intp a_step, char* b, npy_intp b_step, char* out, npy_intp out_step,
                       npy_intp n) noexcept nogil:
    """Compute out[i] = loop(a[i], b[i])."""
    cdef char* args[3]
    cdef npy_intp steps[3]
    args[0] = a
    args[1] = b
    args[2] = out
    steps[0] = a_step
    steps[1] = b_step
    steps[2] = out_step
    loop.fn(args, &n, steps, loop.data)


cdef inline void _accumulate(Loop* loop, char* acc, npy_intp acc_step, char* x, npy_intp x_step,
                             npy_intp n) noexcept nogil:
    """Compute acc[i] = loop(acc[i], x[i])."""
    _call(loop, acc, acc_step, x, x_step, acc, acc_step, n)


cdef inline void _cast(Loop* cast, char* out, char* x, npy_intp step, npy_intp n) noexcept nogil:
    """Compute out[i] = x[i] of another type."""
    cdef char* args[2]
    cdef npy_intp steps[2]
    args[0], args[1] = x, out
    steps[0], steps[1] = step, cast.sizes[1]
    cast.fn(args, &n, steps, cast.data)


cdef inline void _begin(Loop* loop, char* acc, char* x, npy_intp step, npy_intp n) noexcept nogil:
    """Compute acc[i] = fold of x[i] alone."""
    cdef npy_intp size = loop.sizes[0]
    if loop.has_start:
        _call(loop, loop.start, 0, x, step, acc, size, n)
    else:
        lz_copy1(acc, size, x, step, n, size)


cdef float _sum_halves(char* x, npy_intp step, npy_intp n) noexcept nogil:
    """Return the sum of n float16 elements, added in float32 in NumPy's order."""
    cdef float values[PAIRWISE]
    cdef float total = 0
    cdef npy_intp half
    if n > PAIRWISE:
        half = n // 2 - n // 2 % 8
        return _sum_halves(x, step, half) + _sum_halves(x + half * step, step, n - half)
    _cast(_to_float, <char*>values, x, step, n)
    _accumulate(_add_floats, <char*>&total, 0, <char*>values, sizeof(float), n)
    return total


cdef inline void _fold_run(Loop* loop, char* acc, char* x, npy_intp step, npy_intp n, bint streams) noexcept nogil:
    """Compute acc[0] = fold of n elements; NumPy's loops fold pairwise when the accumulator's stride is 0."""
    if _sums_halves(loop):
        (<float*>acc)[0] = _sum_halves(x, step, n)
        return
    if loop.fold_run is not NULL and step == loop.sizes[0] and (n >= LONG_RUN or not loop.is_sum):
        loop.fold_run(x, n, streams, acc)
        if loop.is_sum or not _is_zero(acc, loop.sizes[0]):
            return
        # the order decides between zeros of either sign: use NumPy's loop
    if loop.has_start:
        lz_copy1(acc, loop.sizes[0], loop.start, 0, 1, loop.sizes[0])
        _accumulate(loop, acc, 0, x, step, n)
        return
    lz_copy1(acc, loop.sizes[0], x, 0, 1, loop.sizes[0])
    if n > 1:
        _accumulate(loop, acc, 0, x + step, step, n - 1)


cdef inline bint _streams(Job* job, int fold) noexcept nogil:
    """Return whether the folded operand streams from memory, and is prefetched."""
    return job.streams and job.operands[job.folds[fold].source].place == DIRECT


cdef inline bint _is_zero(char* x, npy_intp size) noexcept nogil:
    return (<float*>x)[0] == 0 if size == sizeof(float) else (<double*>x)[0] == 0


cdef bint _has_zero(char* x, npy_intp n, npy_intp size) noexcept nogil:
    cdef npy_intp i
    cdef int found = 0
    if size == sizeof(float):
        for i in range(n):
            found |= (<float*>x)[i] == 0
    else:
        for i in range(n):
            found |= (<double*>x)[i] == 0
    return found != 0


cdef void fold_unit(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    if job.walked:
        _fold_walked(job, unit, scratch, status, fresh)
    elif job.inner_folded:
        if not job.long_rows and job.fold_rows == 1:
            _fold_short_rows(job, unit, scratch, status, fresh)
        else:
            _fold_inner(job, unit, scratch, status, fresh)
    else:
        _fold_outer(job, unit, scratch, status, fresh)


cdef inline void _note(Job* job, int* status, int fold) noexcept nogil:
    cdef int raised
    if job.folds[fold].loop.flags & LOOP_STATUS:
        raised = lz_fp_take()
        if raised:
            status[job.ninstr + fold] |= raised


cdef void _fold_short_rows(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Fold a block of whole rows, one output each."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp rows = min(job.tile, job.rows - unit * job.tile)
    cdef int f
    run_block(job, unit * job.tile, rows, 0, scratch, status, fresh, at)
    for f in range(job.nfold):
        _fold_each(job.folds[f].loop, at[job.folds[f].source], job.operands[job.folds[f].source].step, rows, job.row,
                   _streams(job, f), job.partial[f] + unit * job.tile * parts_of(job.folds[f].loop).sizes[1])
        _note(job, status, f)


cdef void _fold_each(Loop* loop, char* x, npy_intp step, npy_intp rows, npy_intp length, bint streams,
                     char* out) noexcept nogil:
    """Compute out[r] = fold of a short row."""
    cdef npy_intp r, j, size = parts_of(loop).sizes[1]
    if loop.fold_rows is not NULL and step == loop.sizes[0] and (length >= 8 or not loop.is_sum):
        loop.fold_rows(x, rows, length, streams, out)
        for r in range(0 if loop.is_sum or not _has_zero(out, rows, size) else rows):
            if _is_zero(out + r * size, size):
                _fold_run(loop, out + r * size, x + r * length * step, step, length, streams)
    elif length <= 16 and not loop.flags & LOOP_ORDERED and not _sums_halves(loop):
        # sequentially, as NumPy adds up to seven elements
        _begin(loop, out, x, step * length, rows)
        for j in range(1, length):
            _accumulate(loop, out, size, x + j * step, step * length, rows)
    else:
        for r in range(rows):
            _fold_run(loop, out + r * size, x + r * length * step, step, length, streams)


cdef void _fold_walked(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Fold the inner folded axes into several outputs, repeatedly along the walked axes.

    A block is [walk_tile][among_tile][below_tile] rows: several walk steps only if it covers all of `among`, several of
    `among` only if it covers all rows below.
    """
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp piece = unit % job.pieces, rest = unit // job.pieces
    cdef npy_intp group = rest // job.chunks, chunk = rest % job.chunks
    cdef npy_intp start = piece * job.among_tile, among = min(job.among_tile, job.among - start)
    cdef npy_intp begin = chunk * job.chunk_rows, end = min(begin + job.chunk_rows, job.walk)
    cdef npy_intp first = begin, steps, below, count, k, each, at_output = chunk * job.kept + group * job.among + start
    cdef int f
    cdef Loop* loop
    cdef char* acc
    cdef char* x
    cdef npy_intp step, size
    cdef bint streams
    while first < end:
        steps = min(job.walk_tile, end - first)
        below = 0
        while below < job.below:
            count = min(job.below_tile, job.below - below)
            run_block(job, ((group * job.walk + first) * job.among + start) * job.below + below,
                      steps * among * count, 0, scratch, status, fresh, at)
            fresh = False
            for f in range(job.nfold):
                loop = job.folds[f].loop
                size = parts_of(loop).sizes[1]
                acc = job.partial[f] + at_output * job.width * size
                x = at[job.folds[f].source]
                step, streams = job.operands[job.folds[f].source].step, _streams(job, f)
                if not job.inner_folded:
                    each = count * job.row * step
                    for k in range(steps * among):
                        _fold_down(loop, scratch + job.fold_scratch[f], x + k * each, step, count, job.row, streams,
                                   acc + k % among * job.row * size, first == begin and below == 0 and k < among)
                elif first == begin and steps == 1:
                    _fold_each(loop, x, step, among, job.row, streams, acc)
                else:
                    _fold_each(loop, x, step, steps * among, job.row, streams, scratch + job.fold_scratch[f])
                    _fold_down(parts_of(loop), scratch + job.fold_scratch[f], scratch + job.fold_scratch[f], size,
                               steps, among, 0, acc, first == begin)
                _note(job, status, f)
            below += count
        first += steps


cdef void _fold_inner(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Fold the blocks of one chunk of one output; combine block results pairwise, like carries of a counter."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp output = unit // job.chunks, chunk = unit % job.chunks
    cdef npy_intp first = chunk * job.chunk_rows, steps, s, row, rows, inner, n, carry
    cdef int f, level
    cdef Loop* loop
    cdef char* levels
    cdef npy_intp size
    steps = min(job.chunk_rows, blocks_of_line(job) - first)
    for s in range(steps):
        row = output * job.fold_rows + block_of_line(job, first + s, &rows, &inner)
        n = run_block(job, row, rows, inner, scratch, status, fresh and s == 0, at)
        for f in range(job.nfold):
            loop = parts_of(job.folds[f].loop)
            size = loop.sizes[1]
            levels = scratch + job.fold_scratch[f]
            # levels[k] is the fold of 2**k blocks; the newest goes on top and is carried down
            level = 0
            carry = s
            _fold_run(job.folds[f].loop, levels + (MAX_LEVELS - 1) * size, at[job.folds[f].source],
                      job.operands[job.folds[f].source].step, n, _streams(job, f))
            while carry & 1:
                _accumulate(loop, levels + level * size, 0, levels + (MAX_LEVELS - 1) * size, 0, 1)
                lz_copy1(levels + (MAX_LEVELS - 1) * size, size, levels + level * size, size, 1, size)
                level += 1
                carry >>= 1
            lz_copy1(levels + level * size, size, levels + (MAX_LEVELS - 1) * size, size, 1, size)
            _note(job, status, f)
    for f in range(job.nfold):
        loop = parts_of(job.folds[f].loop)
        size = loop.sizes[1]
        levels = scratch + job.fold_scratch[f]
        carry = steps
        level = 0
        while not carry & 1:
            level += 1
            carry >>= 1
        lz_copy1(levels + (MAX_LEVELS - 1) * size, size, levels + level * size, size, 1, size)
        level += 1
        carry >>= 1
        while carry:
            if carry & 1:
                _accumulate(loop, levels + level * size, 0, levels + (MAX_LEVELS - 1) * size, 0, 1)
                lz_copy1(levels + (MAX_LEVELS - 1) * size, size, levels + level * size, size, 1, size)
            level += 1
            carry >>= 1
        lz_copy1(job.partial[f] + (chunk * job.kept + output) * size, size, levels + (MAX_LEVELS - 1) * size, size, 1,
                 size)
        _note(job, status, f)


cdef void _fold_outer(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Accumulate the rows of one chunk into one (piece of a) row of the result."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp piece = unit % job.pieces, rest = unit // job.pieces
    cdef npy_intp output = rest // job.chunks, chunk = rest % job.chunks
    cdef npy_intp first = chunk * job.chunk_rows, steps, s, row, rows, inner = piece * job.tile, n, width, step
    cdef int f
    cdef Loop* loop
    cdef char* acc
    steps = job.fold_rows if job.long_rows else (job.fold_rows + job.tile - 1) // job.tile
    steps = min(job.chunk_rows, steps - first)
    if job.long_rows and _are_columns(job):
        n = run_block(job, output * job.fold_rows + first, 1, inner, scratch, status, fresh, at)
        for f in range(job.nfold):
            loop = job.folds[f].loop
            acc = job.partial[f] + ((chunk * job.kept + output) * job.width + inner) * loop.sizes[1]
            step = job.operands[job.folds[f].source].strides[job.ndim - 2]
            loop.fold_columns(at[job.folds[f].source], step, steps, n, _streams(job, f), acc, True)
            _note(job, status, f)
        return
    for s in range(steps):
        if job.long_rows:
            row = first + s
            rows = 1
        else:
            row = (first + s) * job.tile
            rows = min(job.tile, job.fold_rows - row)
        n = run_block(job, output * job.fold_rows + row, rows, inner, scratch, status, fresh and s == 0, at)
        width = n // rows
        for f in range(job.nfold):
            loop = job.folds[f].loop
            acc = job.partial[f] + ((chunk * job.kept + output) * job.width + inner) * parts_of(loop).sizes[1]
            _fold_down(loop, scratch + job.fold_scratch[f], at[job.folds[f].source],
                       job.operands[job.folds[f].source].step, rows, width, _streams(job, f), acc, s == 0)
            _note(job, status, f)


cdef void _fold_down(Loop* loop, char* scratch, char* x, npy_intp step, npy_intp rows, npy_intp width, bint streams,
                     char* acc, bint fresh) noexcept nogil:
    """Compute acc = fold of rows, and of acc unless `fresh`; `scratch` has room for the rows, or is their place."""
    cdef npy_intp size = parts_of(loop).sizes[1], parts = (rows + IN_A_ROW - 1) // IN_A_ROW, k
    if _sums_halves(loop):
        _cast(_to_float, scratch, x, step, rows * width)
        loop, x, step = _add_floats, scratch, size
    if step == size and loop.fold_columns is not NULL and (rows == 1 or width * size >= VECTOR or not loop.is_sum):
        if not loop.is_sum or parts == 1:
            loop.fold_columns(x, width * size, rows, width, streams, acc, fresh)
            return
        for k in range(parts):
            loop.fold_columns(x + k * IN_A_ROW * width * size, width * size,
                              min(<npy_intp>IN_A_ROW, rows - k * IN_A_ROW), width, streams,
                              scratch + k * width * size, True)
        x, rows = scratch, parts
    if rows > 1:
        x = _fold_rows(loop, scratch, x, step, rows, width)
        step = size
    if fresh:
        _begin(loop, acc, x, step, width)
    else:
        _accumulate(loop, acc, size, x, step, width)


cdef bint _are_columns(Job* job) noexcept nogil:
    """Return whether the folded operand is in memory, with rows at a constant distance."""
    cdef int f
    cdef Operand* op
    if job.ninstr or job.ndim < 2 or job.fold_rows != job.shape[job.ndim - 2]:
        return False
    for f in range(job.nfold):
        op = &job.operands[job.folds[f].source]
        if op.place != DIRECT or op.step != op.size or job.folds[f].loop.fold_columns is NULL:
            return False
    return True


cdef char* _fold_rows(Loop* loop, char* out, char* x, npy_intp step, npy_intp rows, npy_intp width) noexcept nogil:
    """Fold `rows` rows of `width` into one by halves: few long calls in place of many short ones."""
    cdef npy_intp half, size = loop.sizes[1], n
    if loop.flags & LOOP_ORDERED or loop.traits & PRODUCT and _may_overflow(loop):
        lz_copy1(out, size, x, step, width, size)
        for n in range(1, rows):
            _accumulate(loop, out, size, x + n * width * step, step, width)
        return out
    while rows > 1:
        half = rows // 2
        n = half * width
        _call(loop, x, step, x + (rows - half) * width * step, step, out, size, n)
        if rows & 1 and x != out:
            lz_copy1(out + n * size, size, x + n * step, step, width, size)
        rows -= half
        x = out
        step = size
    return out


cdef bint folds_in_place(Job* job, int f) noexcept:
    """Return whether the only partial result of each output may be computed in the result's memory."""
    cdef npy_intp* strides = job.fold_strides + f * job.ndim
    cdef npy_intp size = job.folds[f].loop.sizes[1], expected = size * job.width
    cdef int d
    if job.chunks > 1 or not job.inner_folded and job.width > 1 and strides[job.ndim - 1] != size:
        return False
    if _sums_halves(job.folds[f].loop):
        return False
    for d in range(job.nkept - 1, -1, -1):
        if strides[kept_axis(job, d)] != expected and job.shape[kept_axis(job, d)] > 1:
            return False
        expected *= job.shape[kept_axis(job, d)]
    return True


cdef npy_intp fold_scratch(Job* job, int f, npy_intp elements) noexcept nogil:
    """Return the workspace of a thread for a fold with blocks of `elements` elements."""
    return in_order_scratch(job, f) if job.in_order else (elements + MAX_LEVELS) * parts_of(job.folds[f].loop).sizes[1]


cdef void _round_parts(char* x, npy_intp n) noexcept nogil:
    """Round n float32 results to float16 in place."""
    cdef char rounded[2 * ROUNDED]
    cdef npy_intp piece, first, some
    for piece in range((n + ROUNDED - 1) // ROUNDED):
        first = piece * ROUNDED
        some = min(<npy_intp>ROUNDED, n - first)
        _cast(_to_half, rounded, x + 4 * first, 4, some)
        memcpy(x + 2 * first, rounded, 2 * some)


cdef int finish_fold(Job* job, int f, Node out) except -1:
    """Combine the partial results [chunks][kept axes][inner axis] of a fold, and store them."""
    cdef Loop* loop = parts_of(job.folds[f].loop)
    cdef npy_intp size = loop.sizes[1]
    cdef npy_intp* along = job.fold_strides + f * job.ndim
    cdef npy_intp shape[MAX_DIMS]
    cdef npy_intp strides[MAX_DIMS]
    cdef npy_intp packed[MAX_DIMS]
    cdef char* place = first_element(out)
    cdef int nd = job.nkept, d
    if place == job.partial[f]:
        return 0
    if job.chunks > 1:
        with nogil:
            if job.in_order:
                combine_extrema(job, f)
            else:
                lz_fp_clear()
                _fold_rows(loop, job.partial[f], job.partial[f], size, job.chunks, job.kept * job.width)
                _note(job, job.status, f)
    if _sums_halves(job.folds[f].loop):
        size = job.folds[f].loop.sizes[1]
        with nogil:
            lz_fp_clear()
            _round_parts(job.partial[f], job.kept * job.width)
            _note(job, job.status, f)
    for d in range(nd):
        shape[d], strides[d] = job.shape[kept_axis(job, d)], along[kept_axis(job, d)]
    if not job.inner_folded:
        shape[nd], strides[nd] = job.width, along[job.ndim - 1]
        nd += 1
    dense_strides(nd, shape, size, packed)
    with nogil:
        copy_nd(place, strides, job.partial[f], packed, shape, nd, size)
    return 0
