# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""The elementwise and map-reduce engine: tile programs over NumPy's own inner loops.

`run_program` has the iteration space laid out (space.pyx) and runs its blocks: for each block the instructions, one
inner-loop call each, on operands that stay in cache. Each thread has a share of the blocks and helps the others when it
is done; what a block computes does not depend on who takes it, so results do not depend on the number of threads.
A block that is folded yields a partial result (fold.pyx).
"""
from cpython.object cimport PyObject
from libc.string cimport memcpy, memset

from numpy cimport npy_intp

from lazyarr._core.blocks cimport hold_back
from lazyarr._core.copies cimport copy_unit, copy_work
from lazyarr._core.errors cimport told_by_any
from lazyarr._core.flags cimport lz_fetch_add, lz_fp_clear, lz_fp_take
from lazyarr._core.fold cimport finish_fold, fold_scratch, fold_unit, folds_in_place
from lazyarr._core.inorder cimport in_order_unit
from lazyarr._core.loops cimport LOOP_STATUS, LOOP_STICKY, Loop
from lazyarr._core.node cimport Node
from lazyarr._core.program cimport FRONT, MAX_OPERANDS, UNDER, Instr, TileProgram
from lazyarr._core.space cimport (
    DIRECT, HELD, PACKED, SCANS, SEARCHES, STREAMED, Job, Operand, enter_run, grow, lay_out, leave_run)
from lazyarr._core.threads cimport book_work, must_stop, run_team, start_watch, step_ended, team_size

cdef extern from "simd/copyloops.h":
    void lz_copy1(char* dst, npy_intp ds, char* src, npy_intp ss, npy_intp n, npy_intp size) noexcept nogil
    void lz_copy_block(char* dst, npy_intp dpitch, npy_intp ds, char* src, npy_intp spitch, npy_intp ss, npy_intp rows,
                       npy_intp n, npy_intp size) noexcept nogil
    void lz_repeat_row(char* dst, char* src, npy_intp ss, npy_intp first, npy_intp n, npy_intp times,
                       npy_intp size) noexcept nogil
    void lz_stream(char* dst, char* src, npy_intp n) noexcept nogil
    void lz_stream_end() noexcept nogil
    void lz_prefetch(char* p, npy_intp n) noexcept nogil

cdef extern from "simd/maskloops.h":
    npy_intp lz_count_true(char* mask, npy_intp step, npy_intp n) noexcept nogil

cdef extern from "Python.h":
    PyObject* PyErr_Occurred() noexcept

# Below this, giving up the GIL and taking it again would cost more than other threads could gain.
cdef double KEEP_GIL_NS = 20000.0


cdef int run_program(TileProgram program, PyObject** nodes, int* status, bint interruptible, int* started) except -1:
    """Run a program whose loads and stores have their memory; ORs status flags into `status[node]`.

    `started` is set once values are about to be written. An uninterruptible run leaves signals for later.
    """
    cdef Run run
    cdef int threads
    enter_run()
    try:
        begin_run(&run, program, nodes, interruptible)
        if run.elements:
            threads = 1 if run.job.serial else <int>min(<npy_intp>team_size(run.work), run.job.units)
            take_memory(&run.job, nodes, run.used, threads, run.nkept, &run.fold_strides, 0)
            started[0] = 1
            run_units(&run.job, run.work, threads, interruptible)
            finish_run(&run, program, nodes, threads, status)
    finally:
        leave_run()
    return 0


cdef int begin_run(Run* run, TileProgram program, PyObject** nodes, bint interruptible) except -1:
    """Lay a program out."""
    cdef Job* job = &run.job
    memset(run, 0, sizeof(Run))
    run.elements = lay_out(job, program, nodes, &run.nkept, &run.fold_strides, &run.used)
    run.work = copy_work(job) if job.copies else run.elements * program.cost
    if run.elements:
        set_reruns(job, not interruptible)
    return 0


cdef void set_reruns(Job* job, bint overwrites) noexcept:
    """Say whether blocks may run again to tell whose a flag is, and for which flags."""
    job.told = told_by_any()
    job.repeatable = job.ninstr > 1 and not job.serial and (not overwrites or hold_back(job)) or job.pitch != job.row


cdef int finish_run(Run* run, TileProgram program, PyObject** nodes, int threads, int* status) except -1:
    """Put what is folded where it belongs, and book flags, when all units have run."""
    cdef Job* job = &run.job
    cdef int k
    for k in range(job.nfold):
        finish_fold(job, k, <Node>nodes[job.folds[k].node], run.nkept, run.fold_strides + k * job.ndim)
    book_status(job, threads, status)
    program.spoiled += job.spoiled
    return 0


# ---- one of several programs that run side by side ------------------------------------------------------


cdef int prepare_member(Run* run, TileProgram program, PyObject** nodes, bint interruptible) except -1:
    """Prepare a program that cannot raise for one thread, in the arena of a run that was entered, but for scratch."""
    cdef Job* job = &run.job
    cdef char* memory
    begin_run(run, program, nodes, interruptible)
    if run.elements:
        book_work(run.work)
        memory = take_memory(job, nodes, run.used, 0, run.nkept, &run.fold_strides,
                             64 + (job.ninstr + job.nfold) * sizeof(int))
        job.next, job.status = <npy_intp*>memory, <int*>(memory + 64)
        _deal(job, 1)
        start_watch(&job.watch, 0)
    return 0


cdef void run_member(Run* run, char* scratch) noexcept nogil:
    if run.elements:
        run.job.scratch = scratch
        _worker(&run.job, 0, 1)


cdef int prepare_shared(Run* run, TileProgram program, PyObject** nodes, bint interruptible, int threads) except -1:
    """Prepare one that all threads share."""
    begin_run(run, program, nodes, interruptible)
    if run.elements:
        book_work(run.work)
        take_memory(&run.job, nodes, run.used, threads, run.nkept, &run.fold_strides, 0)
        _deal(&run.job, threads)
        start_watch(&run.job.watch, 0)
    return 0


cdef void run_share(Run* run, int thread) noexcept nogil:
    """One thread's share of it, then what others have left of theirs."""
    if run.elements:
        _worker(&run.job, thread, run.job.threads)


cdef int finish_member(Run* run, TileProgram program, PyObject** nodes, int* status) except -1:
    return finish_run(run, program, nodes, run.job.threads, status) if run.elements else 0


# ---- the parts of a run ---------------------------------------------------------------------------------


cdef npy_intp _align(npy_intp n) noexcept nogil:
    return (n + 63) & ~<npy_intp>63


cdef char* take_memory(Job* job, PyObject** nodes, size_t fixed, int threads, int nkept, npy_intp** fold_strides,
                       npy_intp more) except NULL:
    """Give a job that is laid out the memory it runs in, on at most so many threads; returns `more` zeroed bytes."""
    cdef int k
    cdef npy_intp elements = job.tile if job.long_rows else job.tile * job.pitch
    cdef npy_intp used = 0, partial_bytes = 0, size
    cdef Operand* op
    cdef Node out
    cdef int ninstr = job.ninstr + job.nfold
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place != DIRECT:
            op.scratch = used
            # an offset of a few lines keeps registers of equal size out of each other's cache sets
            used += _align(elements * op.size) + 192
    for k in range(job.nfold):
        used += _align(fold_scratch(job, k, elements)) + 64
    job.scratch_size = _align(used)

    # the arena may move when it grows: the part laid out so far moves with it
    cdef size_t status_bytes = _align(threads * ninstr * sizeof(int))
    for k in range(job.nfold):
        size = job.folds[k].loop.sizes[1]
        out = <Node>nodes[job.folds[k].node]
        job.partial[k] = NULL
        if job.in_order == SCANS or folds_in_place(job, size, nkept, fold_strides[0] + k * job.ndim):
            job.partial[k] = out.data + out.offset
        else:
            partial_bytes += _align(job.chunks * job.kept * job.width * size)
        if job.in_order == SEARCHES and job.chunks > 1:
            partial_bytes += _align(job.chunks * job.kept * job.width * job.folds[k].loop.sizes[0])
    cdef size_t total = _align(fixed) + 64 * threads + status_bytes + threads * job.scratch_size + partial_bytes + more
    cdef char* before = <char*>job.operands
    cdef char* memory = grow(job, fixed, total)
    fold_strides[0] = <npy_intp*>(<char*>fold_strides[0] + (memory - before))
    cdef char* p = memory + _align(fixed)
    job.next = <npy_intp*>p
    p += 64 * threads
    job.status = <int*>p
    memset(p, 0, threads * ninstr * sizeof(int))
    p += status_bytes
    job.scratch = p
    p += threads * job.scratch_size
    used = 0
    for k in range(job.noperand):
        if job.operands[k].place != DIRECT:
            used = job.operands[k].scratch + _align(elements * job.operands[k].size) + 192
    for k in range(job.nfold):
        job.fold_scratch[k] = used
        size = job.folds[k].loop.sizes[1]
        used += _align(fold_scratch(job, k, elements)) + 64
        if job.partial[k] is NULL:
            job.partial[k] = p
            p += _align(job.chunks * job.kept * job.width * size)
        if job.in_order == SEARCHES and job.chunks > 1:
            job.extrema[k] = p
            p += _align(job.chunks * job.kept * job.width * job.folds[k].loop.sizes[0])
    job.fold_strides = fold_strides[0]
    memset(p, 0, more)
    return p


cdef int run_units(Job* job, double work, int threads, bint interruptible) except -1:
    """Run all units of a job that has its memory, but for those that are done, on so many threads."""
    _deal(job, threads)
    start_watch(&job.watch, work if interruptible else 0)
    if threads == 1 and not job.serial and work < KEEP_GIL_NS:
        _worker(job, 0, 1)
    else:
        with nogil:
            run_team(threads, _worker, job)
    if job.serial and PyErr_Occurred() is not NULL:
        return -1
    step_ended(work)
    return -1 if job.watch.stopped else 0


cdef inline void _deal(Job* job, int threads) noexcept:
    """Deal the units of a job out to so many threads."""
    cdef int t
    job.threads = threads
    job.grab = job.units if threads == 1 else 1 if job.in_turn else max(job.units // (threads * 16), <npy_intp>1)
    job.shares = 1 if job.in_turn else threads
    for t in range(job.shares):
        job.next[8 * t] = job.units * t // job.shares


cdef void book_status(Job* job, int threads, int* status) noexcept:
    """Add the flags that came up on so many threads to those of their nodes."""
    cdef int k, t, ninstr = job.ninstr + job.nfold
    for t in range(threads):
        for k in range(job.ninstr):
            status[job.instrs[k].node] |= job.status[t * ninstr + k]
        for k in range(job.nfold):
            status[job.folds[k].node] |= job.status[t * ninstr + job.ninstr + k]


cdef void _worker(void* whole, int thread, int threads) noexcept nogil:
    """One thread's share, front to back, then what others have left of theirs.

    Shares are the same in every run, so that data of the last evaluation is still in the cache of the core that
    needs it.
    """
    cdef Job* job = <Job*>whole
    cdef npy_intp unit, first, end
    cdef int k, victim
    cdef char* scratch = job.scratch + thread * job.scratch_size
    cdef int* status = job.status + thread * (job.ninstr + job.nfold)
    cdef bint fresh = True
    lz_fp_clear()
    for k in range(job.shares):
        victim = (thread + k) % job.shares
        end = job.units * (victim + 1) // job.shares
        while not job.stop:
            if job.threads > 1:
                first = lz_fetch_add(&job.next[8 * victim], job.grab)
            else:
                first = job.next[0]
                job.next[0] += job.grab
            if first >= end:
                break
            for unit in range(first, min(first + job.grab, end)):
                if job.done is not NULL and job.done[unit]:
                    continue
                run_unit(job, unit, scratch, status, fresh)
                fresh = False
                if job.serial and _python_error():
                    job.stop = 1
                if must_stop(&job.watch, thread):
                    job.stop = 1
                if job.stop:
                    break
    if job.bypasses:
        lz_stream_end()


cdef void run_unit(Job* job, npy_intp unit, char* scratch, int* status, bint fresh) noexcept nogil:
    if job.copies:
        copy_unit(job, unit)
    elif job.in_order:
        in_order_unit(job, unit, scratch, status, fresh)
    elif job.nfold:
        fold_unit(job, unit, scratch, status, fresh)
    elif job.long_rows:
        run_block(job, unit // job.pieces, 1, (unit % job.pieces) * job.tile, scratch, status, fresh, NULL)
    else:
        run_block(job, unit * job.tile, min(job.tile, job.rows - unit * job.tile), 0, scratch, status, fresh, NULL)


cdef bint _python_error() noexcept nogil:
    with gil:
        return PyErr_Occurred() is not NULL


cdef inline npy_intp _locate(Job* job, npy_intp row, npy_intp* index) noexcept nogil:
    """The index of a row along the outer axes."""
    cdef int d
    for d in range(job.ndim - 2, 0, -1):
        index[d] = row % job.shape[d]
        row = row // job.shape[d]
    index[0] = row
    return 0


cdef void _pack(Job* job, Operand* op, char* packed, npy_intp* start, npy_intp rows, npy_intp inner,
                npy_intp count) noexcept nogil:
    """Gather (a load) or scatter (a store) a block between memory and scratch."""
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
    """Gather a block of a load that is repeated; rows that are alike are made once."""
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
    """Run all instructions over one block; `pointers`, if given, receives where each operand lies."""
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
                elif op.constant:  # gathered once, from the first rows, for the largest block there is
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
    """All instructions row by row, to tell whether a flag came up outside the gaps."""
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
    """All instructions, reading the floating-point status after each; whether any flag came up."""
    cdef int k, raised
    cdef bint any_raised = False
    cdef Instr* instr
    for k in range(job.ninstr):
        instr = &job.instrs[k]
        if job.streams:
            _ask_for_next(job, at, n, k, job.ninstr)
        _call(job, instr, at, n)
        if instr.loop.flags & LOOP_STATUS:
            raised = lz_fp_take()
            if raised:
                status[k] |= raised
                any_raised = True
    return any_raised


cdef bint _run_unread(Job* job, char** at, npy_intp n) noexcept nogil:
    """All instructions, pairs in one pass, reading the status once.

    False if a flag is up: the block must run again to tell whose it is.

    Reading the status register waits for all arithmetic in flight, which costs as much as a short instruction.
    Loops that clear the status themselves would hide the flags of those before them: it is read before each such loop.
    """
    cdef int k
    cdef Instr* instr
    cdef bint unread = False
    for k in range(job.nmerged):
        instr = &job.merged[k]
        if job.streams:
            _ask_for_next(job, at, n, k, job.nmerged)
        if unread and not instr.loop.flags & LOOP_STICKY:
            if lz_fp_take() & job.told:
                return False
            unread = False
        _call(job, instr, at, n)
        if instr.loop.flags & LOOP_STICKY:
            unread = unread or instr.loop.flags & LOOP_STATUS
        elif instr.loop.flags & LOOP_STATUS and lz_fp_take() & job.told:
            return False
    return not unread or not lz_fp_take() & job.told


cdef void _ask_for_next(Job* job, char** at, npy_intp n, int turn, int turns) noexcept nogil:
    """Have part `turn` of `turns` of the next block brought into the cache, so that memory works while we compute.

    The processor's own prefetching stops while instructions work on registers, and at the ends of pages.
    """
    cdef int k
    cdef npy_intp part
    cdef Operand* op
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.flows:
            part = n * op.size // turns
            lz_prefetch(at[k] + n * op.size + turn * part, part)


cdef inline void _call(Job* job, Instr* instr, char** at, npy_intp n) noexcept nogil:
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
    """NumPy's where=: call the loop on each run of true mask values; elsewhere the old values stay."""
    cdef int nin = loop.nin, i
    cdef char* mask = args[nin]
    cdef char* old = args[nin + 1]
    cdef char* out = args[nin + 2]
    cdef npy_intp mask_step = steps[nin], start = 0, end, run
    cdef char* at[10]
    cdef npy_intp strides[10]
    cdef bint overwrites = mask == out  # or an input
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
