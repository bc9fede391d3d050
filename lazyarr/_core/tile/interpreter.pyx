# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Execution of tile programs over NumPy's inner loops.

`run_program` lays out the iteration space (loop_nest.pyx) and runs its blocks: one inner-loop call per instruction, on
operands that stay in the cache. Each thread has a share of the blocks and then helps the others. Results do not depend
on the number of threads, as a block's result does not depend on its thread. A reduced block yields a partial result
(reduce.pyx).
"""
from cpython.object cimport PyObject
from libc.string cimport memset

from numpy cimport npy_intp

from lazyarr._core.host.fp_status cimport lz_fp_clear
from lazyarr._core.host.threads cimport (
    book_work, deal_evenly, must_stop, run_team, start_watch, step_ended, take_units, team_size)
from lazyarr._core.ir.fp_errors cimport ever_reported_flags
from lazyarr._core.ir.node cimport Node, first_element
from lazyarr._core.ir.tile_program cimport SCANS, SEARCHES, TileProgram
from lazyarr._core.tile.block cimport run_block
from lazyarr._core.tile.job cimport DIRECT, Job, Operand
from lazyarr._core.tile.loop_nest cimport SCRATCH, enter_run, lay_out, leave_run, reserve
from lazyarr._core.tile.ordered_reduce cimport in_order_unit
from lazyarr._core.tile.reduce cimport finish_fold, fold_scratch, fold_unit, folds_in_place, parts_of
from lazyarr._core.tile.strided_copy cimport copy_unit, copy_work
from lazyarr._core.tile.tiling cimport hold_back

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef extern from "Python.h":
    PyObject* PyErr_Occurred() noexcept

# Below this work, releasing the GIL costs more than other threads could gain.
cdef double KEEP_GIL_NS = 20000.0


cdef int run_program(TileProgram program, PyObject** nodes, int* status, bint interruptible, int* started) except -1:
    """Run a program whose loads and stores are allocated; OR status flags into `status[node]`.

    `started` is set before the first value is written. An uninterruptible run defers signals.
    """
    cdef Run run
    cdef int threads
    enter_run()
    try:
        begin_run(&run, program, nodes, interruptible)
        if run.elements:
            threads = 1 if run.job.serial else <int>min(<npy_intp>team_size(run.work), run.job.units)
            take_memory(&run.job, nodes, threads, 0)
            started[0] = 1
            run_units(&run.job, run.work, threads, interruptible)
            finish_run(&run, program, nodes, status)
    finally:
        leave_run()
    return 0


cdef int begin_run(Run* run, TileProgram program, PyObject** nodes, bint interruptible) except -1:
    """Lay out a program."""
    cdef Job* job = &run.job
    memset(run, 0, sizeof(Run))
    run.elements = lay_out(job, program, nodes)
    run.work = copy_work(job) if job.copies else run.elements * program.cost
    if run.elements:
        set_reruns(job, not interruptible)
    return 0


cdef void set_reruns(Job* job, bint overwrites) noexcept:
    """Decide whether blocks may be rerun to attribute flags, and which flags matter."""
    job.reported_flags = ever_reported_flags()
    job.repeatable = job.ninstr > 1 and not job.serial and (not overwrites or hold_back(job)) or job.pitch != job.row


cdef int finish_run(Run* run, TileProgram program, PyObject** nodes, int* status) except -1:
    """Complete folds and attribute flags after all units have run."""
    cdef Job* job = &run.job
    cdef int k
    for k in range(job.nfold):
        finish_fold(job, k, <Node>nodes[job.folds[k].node])
    book_status(job, job.threads, status)
    program.spoiled += job.spoiled
    return 0


# ---- one of several concurrent programs -----------------------------------------------------------------


cdef int prepare_member(Run* run, TileProgram program, PyObject** nodes, bint interruptible, int threads) except -1:
    """Prepare a program that cannot raise, in the arena of an entered run; for one thread, without workspace."""
    cdef Job* job = &run.job
    cdef char* memory
    begin_run(run, program, nodes, interruptible)
    if run.elements == 0:
        return 0
    book_work(run.work)
    if threads > 1:
        take_memory(job, nodes, threads, 0)
    else:
        memory = take_memory(job, nodes, 0, 64 + (job.ninstr + job.nfold) * sizeof(int))
        job.queues.next, job.status = <npy_intp*>memory, <int*>(memory + 64)
    _deal(job, threads)
    start_watch(&job.watch, 0)
    return 0


cdef void run_member(Run* run, int thread) noexcept nogil:
    """Run one thread's share, then help other threads."""
    _worker(&run.job, thread, run.job.threads)


# ---- the parts of a run ---------------------------------------------------------------------------------


cdef npy_intp _align(npy_intp n) noexcept nogil:
    return (n + 63) & ~<npy_intp>63


cdef char* take_memory(Job* job, PyObject** nodes, int threads, npy_intp more) except NULL:
    """Allocate the workspace of a laid-out job for up to `threads` threads; return `more` zeroed bytes."""
    cdef npy_intp elements = job.tile if job.long_rows else job.tile * job.pitch
    cdef npy_intp used = 0, partial_bytes = 0, outputs = job.chunks * job.kept * job.width
    cdef npy_intp status_bytes = _align(threads * (job.ninstr + job.nfold) * sizeof(int))
    cdef bint has_extrema = job.in_order == SEARCHES and job.chunks > 1
    cdef Operand* op
    cdef int* sizes
    cdef char* p
    cdef int k
    for k in range(job.noperand):
        op = &job.operands[k]
        if op.place != DIRECT:
            op.scratch = used
            # an offset of a few lines keeps equal registers out of each other's cache sets
            used += _align(elements * op.size) + 192
    for k in range(job.nfold):
        sizes = parts_of(job.folds[k].loop).sizes
        job.fold_scratch[k] = used
        used += _align(fold_scratch(job, k, elements)) + 64
        job.partial[k] = NULL
        if job.in_order == SCANS or folds_in_place(job, k):
            job.partial[k] = first_element(<Node>nodes[job.folds[k].node])
        else:
            partial_bytes += _align(outputs * sizes[1])
        if has_extrema:
            partial_bytes += _align(outputs * sizes[0])
    job.scratch_size = _align(used)
    p = reserve(SCRATCH, 64 * threads + status_bytes + threads * job.scratch_size + partial_bytes + more)
    job.queues.next = <npy_intp*>p
    p += 64 * threads
    job.status = <int*>p
    memset(p, 0, status_bytes)
    p += status_bytes
    job.scratch = p
    p += threads * job.scratch_size
    for k in range(job.nfold):
        sizes = parts_of(job.folds[k].loop).sizes
        if job.partial[k] is NULL:
            job.partial[k] = p
            p += _align(outputs * sizes[1])
        if has_extrema:
            job.extrema[k] = p
            p += _align(outputs * sizes[0])
    memset(p, 0, more)
    return p


cdef int run_units(Job* job, double work, int threads, bint interruptible) except -1:
    """Run the remaining units of a prepared job on `threads` threads."""
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
    """Distribute the units of a job among `threads` threads."""
    cdef npy_intp grab = max(job.units // (threads * 16), <npy_intp>1)
    job.threads = threads
    deal_evenly(&job.queues, job.units, job.units if threads == 1 else 1 if job.in_turn else grab,
                1 if job.in_turn else threads, threads)


cdef void book_status(Job* job, int threads, int* status) noexcept:
    """Add the flags of `threads` threads to those of their nodes."""
    cdef int k, t, ninstr = job.ninstr + job.nfold
    for t in range(threads):
        for k in range(job.ninstr):
            status[job.instrs[k].node] |= job.status[t * ninstr + k]
        for k in range(job.nfold):
            status[job.folds[k].node] |= job.status[t * ninstr + job.ninstr + k]


cdef void _worker(void* whole, int thread, int threads) noexcept nogil:
    """Run units on one thread until none is left, an error is set or the step is cancelled."""
    cdef Job* job = <Job*>whole
    cdef npy_intp unit, first, end
    cdef int turn = 0
    cdef char* scratch = job.scratch + thread * job.scratch_size
    cdef int* status = job.status + thread * (job.ninstr + job.nfold)
    cdef bint fresh = True
    lz_fp_clear()
    while not job.stop:
        first = take_units(&job.queues, thread, &turn, &end)
        if first < 0:
            break
        for unit in range(first, end):
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
