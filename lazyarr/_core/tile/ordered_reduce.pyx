# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Ordered folds: argmin and argmax, cumulative sums and products.

Blocks come along an axis in order, each continuing the state of the one before.

    short lines     a block of whole lines
    long lines      blocks of one line; cumulative sums interleave several independent lines
    rows            the axis is not the inner one: a block is rows, each with an element of every line

NumPy's own function finds the extremum in a block's part of a line, and decides between it and the previous one. Long
lines are searched in chunks. Cumulative sums have no chunks, as each depends on the one before; for a single line,
threads compute its blocks concurrently and take turns to add.
"""
from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fp_take
from lazyarr._core.ir.loop_table cimport INTERLEAVED_LINES, Loop
from lazyarr._core.ir.tile_program cimport SCANS, SEARCHES, MAX_OPERANDS
from lazyarr._core.tile.block cimport run_block
from lazyarr._core.tile.job cimport Job, Operand, block_of_line, blocks_of_line

cdef extern from "simd/atomic.h":
    void lz_await_turn(npy_intp* turn, npy_intp mine, int* stop) noexcept nogil
    void lz_end_turn(npy_intp* turn) noexcept nogil

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil


cdef inline npy_intp _room(Job* job, int f) noexcept nogil:
    """Return the bytes to gather a block, or pieces of several lines."""
    cdef npy_intp elements = job.tile * job.row
    if job.in_place:
        elements = job.tile if job.long_rows else job.row
    elif job.long_rows:
        elements = job.tile * (<npy_intp>INTERLEAVED_LINES if job.inner_folded else <npy_intp>1)
    return (elements * job.folds[f].loop.sizes[0] + 63) // 64 * 64


cdef npy_intp in_order_scratch(Job* job, int f) noexcept nogil:
    """Return the workspace of a thread for a fold: gathered elements, and extrema so far."""
    return 2 * _room(job, f)


cdef void in_order_unit(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    if not job.inner_folded:
        _rows(job, unit, scratch, status, fresh)
    elif not job.long_rows and job.fold_rows == 1:
        _short_lines(job, unit, scratch, status, fresh)
    elif job.in_order == SEARCHES:
        _search_long_line(job, unit, scratch, status, fresh)
    elif job.kept == 1:
        _scan_only_line(job, unit, scratch, status, fresh)
    else:
        _scan_long_lines(job, unit, scratch, status, fresh)


# ---- one step of a fold --------------------------------------------------------------------------------


cdef inline void _note(Job* job, int* status, int f) noexcept nogil:
    """Record the flags of a cumulative sum; comparisons raise none."""
    cdef int raised = lz_fp_take()
    if job.in_order == SCANS and raised:
        status[job.ninstr + f] |= raised


cdef inline char* _gathered(Job* job, int f, char* x, npy_intp n, char* room) noexcept nogil:
    """Return the n elements that fold f reads, contiguously."""
    cdef Operand* op = &job.operands[job.folds[f].source]
    if op.step == op.size:
        return x
    lz_copy1(room, op.size, x, op.step, n, op.size)
    return room


cdef void _search(Loop* loop, char* x, npy_intp n, npy_intp first, npy_intp* place, char* value,
                  bint fresh) noexcept nogil:
    """Update the index and value of the extremum with n more elements; `first` is the index of x[0]."""
    cdef npy_intp found, which = 1, size = loop.sizes[0]
    cdef long double pair[4]
    cdef char* two = <char*>pair
    loop.search(x, n, &found, NULL)
    if not fresh:
        lz_copy1(two, size, value, size, 1, size)
        lz_copy1(two + size, size, x + found * size, size, 1, size)
        loop.search(two, 2, &which, NULL)
    if which:
        place[0] = first + found
        lz_copy1(value, size, x + found * size, size, 1, size)


cdef inline char* _result(Job* job, int f, npy_intp row, npy_intp inner) noexcept nogil:
    """Return the address of the cumulative sum for an element of the space."""
    cdef npy_intp* strides = job.fold_strides + f * job.ndim
    cdef char* p = job.partial[f] + inner * strides[job.ndim - 1]
    cdef int d
    for d in range(job.ndim - 2, -1, -1):
        p += row % job.shape[d] * strides[d]
        row = row // job.shape[d]
    return p


# ---- lines ---------------------------------------------------------------------------------------------


cdef void _short_lines(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp first = unit * job.tile, rows = min(job.tile, job.rows - first), r, size
    cdef int f
    cdef Loop* loop
    cdef char* x
    run_block(job, first, rows, 0, scratch, status, fresh, at)
    for f in range(job.nfold):
        loop = job.folds[f].loop
        size = loop.sizes[0]
        x = _gathered(job, f, at[job.folds[f].source], rows * job.row, scratch + job.fold_scratch[f])
        if job.in_order == SEARCHES:
            for r in range(rows):
                loop.search(x + r * job.row * size, job.row, <npy_intp*>job.partial[f] + first + r, NULL)
        else:
            r = 0
            while r < rows:
                r += _scan_interleaved(job, f, x + r * job.row * size, job.row * size, job.row, first + r, rows - r, 0)
        _note(job, status, f)


cdef npy_intp _scan_interleaved(Job* job, int f, char* x, npy_intp pitch, npy_intp n, npy_intp row, npy_intp rows,
                                npy_intp inner) noexcept nogil:
    """Continue the sums of several of `rows` lines by n elements from `inner`; return how many lines."""
    cdef npy_intp* strides = job.fold_strides + f * job.ndim
    cdef int last = job.ndim - 1
    cdef npy_intp count = 1, apart = 0
    if last > 0:
        apart = strides[last - 1]
        count = min(min(rows, <npy_intp>INTERLEAVED_LINES), job.shape[last - 1] - row % job.shape[last - 1])
    job.folds[f].loop.scan.lines(_result(job, f, row, inner), apart, strides[last], x, pitch,
                                 job.folds[f].loop.sizes[0], count, n, inner == 0)
    return count


cdef void _search_long_line(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Search the blocks of a chunk of one line, which may be several consecutive rows."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp output = unit // job.chunks, chunk = unit % job.chunks, slot = chunk * job.kept + output
    cdef npy_intp first = chunk * job.chunk_rows, step, row, rows, inner, n
    cdef int f
    cdef Loop* loop
    cdef char* room
    cdef char* value
    for step in range(first, min(first + job.chunk_rows, blocks_of_line(job))):
        row = block_of_line(job, step, &rows, &inner)
        n = run_block(job, output * job.fold_rows + row, rows, inner, scratch, status, fresh and step == first, at)
        for f in range(job.nfold):
            loop = job.folds[f].loop
            room = scratch + job.fold_scratch[f]
            value = job.extrema[f] + slot * loop.sizes[0] if job.chunks > 1 else room + _room(job, f)
            _search(loop, _gathered(job, f, at[job.folds[f].source], n, room), n, row * job.row + inner,
                    <npy_intp*>job.partial[f] + slot, value, step == first)
            _note(job, status, f)
        if job.stop:
            break


cdef void _scan_long_lines(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Scan a group of lines along the last kept axis, piece by piece."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp along = job.shape[job.ndim - 2], groups = (along + job.lines - 1) // job.lines
    cdef npy_intp start = unit % groups * job.lines, row = unit // groups * along + start, piece, r, n, size, pitch
    cdef npy_intp lines = min(job.lines, along - start)
    cdef int f
    cdef Operand* op
    cdef char* x
    for piece in range(job.pieces):
        n = min(job.tile, job.row - piece * job.tile)
        for r in range(1 if job.in_place else lines):
            run_block(job, row + r, 1, piece * job.tile, scratch, status, fresh, at)
            fresh = False
            for f in range(job.nfold if not job.in_place else 0):
                op = &job.operands[job.folds[f].source]
                lz_copy1(scratch + job.fold_scratch[f] + r * n * op.size, op.size, at[job.folds[f].source], op.step,
                         n, op.size)
        for f in range(job.nfold):
            op = &job.operands[job.folds[f].source]
            size = op.size
            x, pitch = scratch + job.fold_scratch[f], n * size
            if job.in_place:
                x, pitch = at[job.folds[f].source], op.strides[job.ndim - 2]
            _scan_interleaved(job, f, x, pitch, n, row, lines, piece * job.tile)
            _note(job, status, f)


cdef void _scan_only_line(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Scan some blocks of the only line, which may be several consecutive rows."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp first = unit * job.chunk_rows, step, row, rows, inner, n, size
    cdef int f
    cdef char* x
    for step in range(first, min(first + job.chunk_rows, blocks_of_line(job))):
        row = block_of_line(job, step, &rows, &inner)
        n = run_block(job, row, rows, inner, scratch, status, fresh and step == first, at)
        if job.in_turn:
            lz_await_turn(&job.turn, unit, &job.stop)
        for f in range(job.nfold):
            size = job.folds[f].loop.sizes[0]
            x = _gathered(job, f, at[job.folds[f].source], n, scratch + job.fold_scratch[f])
            job.folds[f].loop.scan.lines(job.partial[f] + (row * job.row + inner) * size, 0, size, x, 0, size, 1, n,
                                         step == 0)
            _note(job, status, f)
        if job.stop:
            break
    if job.in_turn:
        lz_end_turn(&job.turn)


# ---- rows ----------------------------------------------------------------------------------------------


cdef void _rows(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    """Process the rows of one chunk, or a piece of each."""
    cdef char* at[MAX_OPERANDS]
    cdef npy_intp piece = unit % job.pieces, rest = unit // job.pieces, inner = piece * job.tile
    cdef npy_intp output = rest // job.chunks, chunk = rest % job.chunks
    cdef npy_intp first = chunk * job.chunk_rows, end = min(first + job.chunk_rows, job.fold_rows), row = first
    cdef npy_intp rows, pitch, width = min(job.tile, job.row - inner) if job.long_rows else job.row
    cdef int f
    cdef Loop* loop
    cdef Operand* op
    cdef char* x
    cdef char* values
    while row < end and not job.stop:
        rows = 1 if job.long_rows else min(job.tile, end - row)
        run_block(job, output * job.fold_rows + row, rows, inner, scratch, status, fresh, at)
        fresh = False
        if job.in_place:
            rows = end - row
        if job.in_turn:
            lz_await_turn(&job.turn, unit, &job.stop)
        for f in range(job.nfold):
            loop = job.folds[f].loop
            op = &job.operands[job.folds[f].source]
            x, pitch = at[job.folds[f].source], width * op.size
            if job.in_place and job.ndim > 1:
                pitch = op.strides[job.ndim - 2]
            elif not job.in_place:
                x = _gathered(job, f, x, rows * width, scratch + job.fold_scratch[f])
            if job.in_order == SCANS:
                _scan_rows(job, f, x, pitch, rows, width, output * job.fold_rows + row, inner, row == 0)
            else:
                rest = (chunk * job.kept + output) * job.width + inner
                values = scratch + job.fold_scratch[f] + _room(job, f)
                if job.chunks > 1:
                    values = job.extrema[f] + rest * op.size
                loop.search_rows(<npy_intp*>job.partial[f] + rest, values, x, pitch, width, rows, row, row == first)
            _note(job, status, f)
        row += rows
    if job.in_turn:
        lz_end_turn(&job.turn)


cdef void _scan_rows(Job* job, int f, char* x, npy_intp pitch, npy_intp rows, npy_intp width, npy_intp row,
                     npy_intp inner, bint fresh) noexcept nogil:
    cdef Loop* loop = job.folds[f].loop
    cdef npy_intp* strides = job.fold_strides + f * job.ndim
    cdef npy_intp size = loop.sizes[0], step = 0, apart = strides[job.ndim - 1], j = 0, count
    cdef char* out = _result(job, f, row, inner)
    if job.ndim > 1:
        step = strides[job.ndim - 2]
    if apart == size:
        loop.scan.rows(out, step, x, pitch, width, rows, fresh)
        return
    while j < width:
        count = min(<npy_intp>INTERLEAVED_LINES, width - j)
        loop.scan.lines(out + j * apart, apart, step, x + j * size, size, pitch, count, rows, fresh)
        j += count


cdef void combine_extrema(Job* job, int f) noexcept nogil:
    """Combine the extrema of chunks: the first best goes to the first chunk."""
    cdef Loop* loop = job.folds[f].loop
    cdef npy_intp size = loop.sizes[0], outputs = job.kept * job.width, chunk, i
    cdef npy_intp* places = <npy_intp*>job.partial[f]
    for chunk in range(1, job.chunks):
        for i in range(outputs):
            _search(loop, job.extrema[f] + (chunk * outputs + i) * size, 1, places[chunk * outputs + i], &places[i],
                    job.extrema[f] + i * size, False)
