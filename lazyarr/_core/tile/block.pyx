# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""One block of a tile program: gather operands, run the instructions, scatter results."""
from libc.string cimport memcpy

from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fp_take
from lazyarr._core.ir.loop_table cimport LOOP_STATUS, LOOP_STICKY, Loop
from lazyarr._core.ir.tile_program cimport FRONT, MAX_OPERANDS, UNDER, LoopCall
from lazyarr._core.tile.job cimport DIRECT, HELD, PACKED, STREAMED, Job, Operand

cdef extern from "simd/copy.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil
    void lz_copy_block(char* dst, npy_intp dpitch, npy_intp ds, char* src, npy_intp spitch, npy_intp ss, npy_intp rows,
                       npy_intp n, npy_intp size) noexcept nogil
    void lz_repeat_row(char* dst, char* src, npy_intp ss, npy_intp first, npy_intp n, npy_intp times,
                       npy_intp size) noexcept nogil
    void lz_stream(char* dst, char* src, npy_intp n) noexcept nogil
    void lz_prefetch(char* p, npy_intp n) noexcept nogil

cdef extern from "simd/mask.h":
    npy_intp lz_count_true(char* mask, npy_intp step, npy_intp n) noexcept nogil


cdef inline npy_intp _locate(Job* job, npy_intp row, npy_intp* index) noexcept nogil:
    """Compute the index of a row along the outer axes."""
    cdef int d
    for d in range(job.ndim - 2, 0, -1):
        index[d] = row % job.shape[d]
        row = row // job.shape[d]
    index[0] = row
    return 0


cdef void _pack(Job* job, Operand* op, char* packed, npy_intp* start, npy_intp rows, npy_intp inner,
                npy_intp count) noexcept nogil:
    """Gather (load) or scatter (store) a block between memory and the workspace."""
    cdef npy_intp index[64]
    cdef char* p
    cdef int d, nd = job.ndim
    cdef npy_intp run, stride = op.strides[nd - 1]
    cdef npy_intp row_stride = op.strides[nd - 2] if nd > 1 else 0
    cdef npy_intp pitch = (count if job.long_rows else job.pitch) * op.size
    if nd == 1:
        index[0] = 0
    for d in range(nd - 1):
        index[d] = start[d]
    while rows > 0:
        p = op.base + inner * stride
        for d in range(nd - 1):
            p += index[d] * op.strides[d]
        run = min(rows, job.shape[nd - 2] - index[nd - 2]) if nd > 1 else 1
        if op.is_store:
            lz_copy_block(p, row_stride, stride, packed, pitch, op.size, run, count, op.size)
        else:
            lz_copy_block(packed, pitch, op.size, p, row_stride, stride, run, count, op.size)
        packed += run * pitch
        rows -= run
        if rows == 0:
            break
        d = nd - 2
        index[d] += run
        while d > 0 and index[d] == job.shape[d]:
            index[d] = 0
            d -= 1
            index[d] += 1


cdef void _pack_repeated(Job* job, Operand* op, char* packed, npy_intp* start, npy_intp rows, npy_intp inner,
                         npy_intp count) noexcept nogil:
    """Gather a block of a repeated load; equal rows are made once."""
    cdef npy_intp index[64]
    cdef int d, last = job.ndim - 1
    cdef npy_intp nbytes = count * op.size, stride = op.strides[last], times = op.times[last], end, i
    cdef char* outer
    cdef char* p
    cdef char* before = NULL
    if last == 0:
        lz_repeat_row(packed, op.base, stride, inner, count, times, op.size)
        return
    for d in range(last):
        index[d] = start[d]
    while rows > 0:
        outer = op.base
        for d in range(last - 1):
            outer += index[d] // op.times[d] * op.strides[d]
        d = last - 1
        end = min(index[d] + rows, job.shape[d])
        for i in range(index[d], end):
            p = outer + i // op.times[d] * op.strides[d]
            if p == before:
                memcpy(packed, packed - nbytes, nbytes)
            elif times == 1:
                lz_copy1(packed, op.size, p + inner * stride, stride, count, op.size)
            else:
                lz_repeat_row(packed, p, stride, inner, count, times, op.size)
            before = p
            packed += nbytes
        rows -= end - index[d]
        index[d] = end
        while d > 0 and index[d] == job.shape[d]:
            index[d] = 0
            d -= 1
            index[d] += 1


cdef npy_intp run_block(Job* job, npy_intp row, npy_intp rows, npy_intp inner, char* scratch, int* status, bint fresh,
                        char** pointers) noexcept nogil:
    """Run all instructions on one block; `pointers`, if given, receives the operands' addresses."""
    cdef char* own[MAX_OPERANDS]
    cdef char** at = own
    cdef npy_intp first_row[64]
    cdef npy_intp index[64]
    cdef npy_intp count = min(job.tile, job.row - inner) if job.long_rows else job.row
    cdef npy_intp n = rows * count if job.long_rows else (rows - 1) * job.pitch + count
    cdef int k, d, nd = job.ndim
    cdef Operand* op
    if pointers is not NULL:
        at = pointers
    if nd > 1:
        _locate(job, row, index)
    for d in range(nd - 1):
        first_row[d] = 0
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place == DIRECT:
            at[k] = _first_of_block(op, index, inner, nd)
        else:
            at[k] = scratch + op.scratch
            if op.place == PACKED and not op.is_store:
                if op.constant and not fresh:
                    continue
                if op.times is not NULL:
                    _pack_repeated(job, op, at[k], index, rows, inner, count)
                elif op.constant:  # gathered once, for the largest block
                    _pack(job, op, at[k], first_row, min(job.tile, job.rows), inner, count)
                else:
                    _pack(job, op, at[k], index, rows, inner, count)
    if not job.repeatable or not _run_unread(job, at, n):
        if job.pitch == job.row:
            _run_exactly(job, at, n, status)
        else:
            _run_between_gaps(job, at, rows, status)
    for k in range(job.nload + job.nreg, job.noperand):
        op = &job.operands[k]
        if op.place == PACKED:
            _pack(job, op, at[k], index, rows, inner, count)
        elif op.place == STREAMED:
            lz_stream(_first_of_block(op, index, inner, nd), at[k], n * op.size)
        elif op.place == HELD:
            memcpy(_first_of_block(op, index, inner, nd), at[k], n * op.size)
    return n


cdef inline char* _first_of_block(Operand* op, npy_intp* index, npy_intp inner, int nd) noexcept nogil:
    cdef char* at = op.base + inner * op.strides[nd - 1]
    cdef int d
    for d in range(nd - 1):
        at += index[d] * op.strides[d]
    return at


cdef void _run_between_gaps(Job* job, char** at, npy_intp rows, int* status) noexcept nogil:
    """Run all instructions row by row, to find whether a flag was raised outside the gaps."""
    cdef char* of_row[MAX_OPERANDS]
    cdef npy_intp r
    cdef int k
    cdef bint raised = False
    for r in range(rows):
        for k in range(job.noperand):
            of_row[k] = at[k] + r * job.pitch * job.operands[k].step
        raised |= _run_exactly(job, of_row, job.row, status)
    if not raised:
        job.spoiled = True


cdef bint _run_exactly(Job* job, char** at, npy_intp n, int* status) noexcept nogil:
    """Run all instructions, reading the status after each; return whether any flag was raised."""
    cdef int k, raised
    cdef bint any_raised = False
    cdef LoopCall* instr
    for k in range(job.ninstr):
        instr = &job.instrs[k]
        if job.streams:
            _prefetch_next(job, at, n, k, job.ninstr)
        _call(job, instr, at, n)
        if instr.loop.flags & LOOP_STATUS:
            raised = lz_fp_take()
            if raised:
                status[k] |= raised
                any_raised = True
    return any_raised


cdef bint _run_unread(Job* job, char** at, npy_intp n) noexcept nogil:
    """Run all instructions, pairs fused, reading the status once.

    Returns False if a flag is up: the block must run again to find its owner.

    Reading the status register waits for all arithmetic in flight, which costs as much as a short instruction. Loops
    that clear the status would hide earlier flags, so it is read before each of them.
    """
    cdef int k
    cdef LoopCall* instr
    cdef bint unread = False
    for k in range(job.nmerged):
        instr = &job.merged[k]
        if job.streams:
            _prefetch_next(job, at, n, k, job.nmerged)
        if unread and not instr.loop.flags & LOOP_STICKY:
            if lz_fp_take() & job.reported_flags:
                return False
            unread = False
        _call(job, instr, at, n)
        if instr.loop.flags & LOOP_STICKY:
            unread = unread or instr.loop.flags & LOOP_STATUS
        elif instr.loop.flags & LOOP_STATUS and lz_fp_take() & job.reported_flags:
            return False
    return not unread or not lz_fp_take() & job.reported_flags


cdef void _prefetch_next(Job* job, char** at, npy_intp n, int turn, int turns) noexcept nogil:
    """Prefetch part `turn` of `turns` of the next block, so that memory accesses overlap computation.

    The hardware prefetcher stops while instructions work on registers, and at page ends.
    """
    cdef int k
    cdef npy_intp part
    cdef Operand* op
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.flows:
            part = n * op.size // turns
            lz_prefetch(at[k] + n * op.size + turn * part, part)


cdef inline void _call(Job* job, LoopCall* instr, char** at, npy_intp n) noexcept nogil:
    cdef char* args[10]
    cdef npy_intp steps[10]
    cdef int i
    for i in range(instr.nargs):
        args[i] = at[instr.args[i]]
        steps[i] = job.operands[instr.args[i]].step
    if job.numbers:
        for i in range(instr.loop.nin):
            steps[i] = 0
    if instr.mode == UNDER:
        _call_masked(instr.loop, args, steps, n)
        return
    if instr.mode == FRONT:
        i = instr.loop.nin
        n = lz_count_true(args[i], steps[i], n)
        if n == 0:
            return
        args[i], steps[i] = args[i + 1], steps[i + 1]
    instr.fn(args, &n, steps, instr.loop.data)


cdef void _call_masked(Loop* loop, char** args, npy_intp* steps, npy_intp n) noexcept nogil:
    """Call the loop on each run of true mask values, as NumPy's where=; elsewhere the old values stay."""
    cdef int nin = loop.nin, i
    cdef char* mask = args[nin]
    cdef char* old = args[nin + 1]
    cdef char* out = args[nin + 2]
    cdef npy_intp mask_step = steps[nin], start = 0, end, run
    cdef char* at[10]
    cdef npy_intp strides[10]
    cdef bint overwrites = mask == out  # `mask` is also an input
    for i in range(nin):
        strides[i] = steps[i]
        overwrites |= args[i] == out
    strides[nin] = steps[nin + 2]
    if not overwrites and old != out:
        lz_copy1(out, steps[nin + 2], old, steps[nin + 1], n, loop.sizes[nin])
    while start < n:
        end = start
        while end < n and not mask[end * mask_step]:
            end += 1
        if overwrites and old != out:
            lz_copy1(out + start * steps[nin + 2], steps[nin + 2], old + start * steps[nin + 1], steps[nin + 1],
                     end - start, loop.sizes[nin])
        start = end
        while end < n and mask[end * mask_step]:
            end += 1
        if end > start:
            for i in range(nin):
                at[i] = args[i] + start * steps[i]
            at[nin] = out + start * steps[nin + 2]
            run = end - start
            loop.fn(at, &run, strides, loop.data)
        start = end
