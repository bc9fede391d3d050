# cython: cdivision=True
# (extents and counters here are never negative, and no divisor is zero)
"""Epilogues: tile programs that run on parts of a kernel's result while these are in the cache.

    kernel     |######|######|###...              a thread's part of the result, front to back
    handed        ^      ^                        at the end of each band: "elements so far are final"
    program    [ unit ][ unit ]                   runs the units that have become complete

Each unit runs once, like a unit of a standalone program, so the bits are the same. A kernel may hand over all, part or
nothing of its result: the rest runs when it has returned (`finish_epilogue`). What it has handed over belongs to the
program, which may have overwritten it.

A result that nothing else needs is not stored. A kernel that can hand over all of it in bands computes these in its
threads' workspace, where the program reads them: each thread has its own operands, offset so that the band lies in its
place in the result.

A step offers its epilogue while its kernel runs; the kernel takes it by naming the memory that it fills. Nested kernels
fill other memory.
"""
from cpython.object cimport PyObject
from libc.string cimport memset

from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.fp_status cimport lz_fetch_or, lz_fp_take
from lazyarr._core.host.run_context cimport RunContext, current_run
from lazyarr._core.host.switch cimport Switch
from lazyarr._core.host.threads cimport most_threads, team_size
from lazyarr._core.host.workspace cimport new_workspace
from lazyarr._core.ir.node cimport Node, first_element
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.tile.interpreter cimport book_status, run_unit, run_units, set_reruns, take_memory
from lazyarr._core.tile.job cimport Job
from lazyarr._core.tile.loop_nest cimport lay_out
from lazyarr._core.tile.row_blocks cimport copy_bytes, copy_job, is_walked_in_order
from lazyarr._core.tile.strided_copy cimport copy_work
from lazyarr._core.tile.tiling cimport end_at_rows

cdef extern from "simd/copy.h":
    void lz_stream_end() noexcept nogil

cdef Switch _switch = Switch()  # counts epilogue units, and those run while their kernel ran
set_enabled, counts = _switch.set_enabled, _switch.counts


# ---- the step's side -----------------------------------------------------------------------------------


cdef int begin_epilogue(Epilogue* epilogue, TileProgram program, PyObject** nodes, Node kernel,
                        bint in_place, bint overwrites) except -1:
    """Prepare a program without folds, in the arena of an entered run.

    `in_place`: it overwrites the kernel's result; `overwrites`: other memory.
    """
    cdef Job* job = &epilogue.job
    cdef int source
    cdef npy_intp room
    memset(epilogue, 0, sizeof(Epilogue))
    job.behind_kernel = _switch.enabled
    epilogue.overwrites = overwrites
    epilogue.elements = lay_out(job, program, nodes)
    if epilogue.elements == 0:
        return 0
    epilogue.work = copy_work(job) if job.copies else epilogue.elements * program.cost
    epilogue.result, epilogue.size = first_element(kernel), kernel.itemsize
    epilogue.unstored = kernel.owner is None
    source = epilogue.source = _operand_of(job, epilogue.result)
    epilogue.possible = _switch.enabled and not job.copies and not job.serial and source >= 0 \
        and is_walked_in_order(job, job.operands[source].strides, job.operands[source].size, 1)
    epilogue.threads = 1 if job.serial else most_threads()
    set_reruns(job, in_place or overwrites)
    if epilogue.unstored and epilogue.possible:
        end_at_rows(job, kernel.shape[kernel.ndim - 1])
    room = epilogue.threads * sizeof(Progress)
    epilogue.progress = <Progress*>take_memory(job, nodes, epilogue.threads, room + job.units)
    job.done = <char*>epilogue.progress + room
    return 0


cdef int _operand_of(Job* job, char* result) noexcept:
    cdef int k
    for k in range(job.nload):
        if job.operands[k].base == result:
            return k
    return -1


cdef int store_result(Epilogue* epilogue, Node kernel) except -1:
    """Allocate an unstored result after all, before anything has run."""
    cdef Buffer block = new_buffer(kernel.span)
    kernel.owner, kernel.data = block, block.data
    epilogue.result, epilogue.unstored = first_element(kernel), False
    if epilogue.elements and epilogue.source >= 0:
        epilogue.job.operands[epilogue.source].base = epilogue.result
    return 0


cdef npy_intp elements_a_unit(Epilogue* epilogue) noexcept nogil:
    """Return the elements per unit (the last one of a row or of all may have fewer)."""
    cdef Job* job = &epilogue.job
    return job.tile if job.long_rows else job.tile * job.row


cdef Buffer take_bands(Epilogue* epilogue, int threads):
    """Allocate operands for each thread; keep the buffer while any thread hands over bands."""
    cdef Job* job = &epilogue.job
    cdef Buffer memory
    epilogue.apart = copy_bytes(job)
    memory = new_workspace(threads * epilogue.apart)
    epilogue.jobs = memory.data
    copy_job(job, epilogue.jobs, threads)
    return memory


cdef int finish_epilogue(Epilogue* epilogue, TileProgram program, int* status) except -1:
    """Run what was not handed over; OR status flags into `status[node]`."""
    cdef Job* job = &epilogue.job
    cdef npy_intp unit, left = 0
    cdef double work
    if epilogue.elements == 0:
        return 0
    for unit in range(job.units):
        left += not job.done[unit]
    _switch.runs += job.units
    _switch.parts += job.units - left
    if left:
        work = epilogue.work * left / job.units
        run_units(job, work, <int>min(<npy_intp>min(team_size(work), epilogue.threads), job.units),
                  not epilogue.overwrites)
    book_status(job, epilogue.threads, status)
    program.spoiled += job.spoiled
    return 0


cdef Epilogue* offer_epilogue(Epilogue* epilogue) noexcept:
    """Offer an epilogue (or NULL) to the next kernel; return the previous offer."""
    cdef RunContext* run = current_run()
    cdef Epilogue* before = <Epilogue*>run.epilogue
    run.epilogue = epilogue
    return before


# ---- the kernel's side ---------------------------------------------------------------------------------


cdef Epilogue* take_epilogue(char* result, npy_intp nbytes) noexcept:
    """Return the epilogue of a kernel that fills exactly this memory; NULL if there is none.

    The caller need not hand over anything, but what it hands over must be final.
    """
    cdef Epilogue* epilogue = <Epilogue*>current_run().epilogue
    if epilogue is NULL or not epilogue.possible or epilogue.result != result \
            or epilogue.elements * epilogue.size != nbytes:
        return NULL
    return epilogue


cdef int team_size_with(Epilogue* epilogue, double* work) noexcept:
    """Return the `team_size` for the work of a kernel and its epilogue."""
    if epilogue is NULL:
        return team_size(work[0])
    work[0] += epilogue.work
    return min(team_size(work[0]), epilogue.threads)


cdef void point_at_band(Epilogue* epilogue, int thread, char* begin, char* band) noexcept nogil:
    """Point a thread at the band with the next range of whole units."""
    cdef Job* job = <Job*>(epilogue.jobs + thread * epilogue.apart)
    job.operands[epilogue.source].base = band - (begin - epilogue.result)


cdef void hand_over(Epilogue* epilogue, int thread, char* begin, char* end, int* status) noexcept nogil:
    """Run the program on a range that this thread has completed; it may continue the previous one.

    Flags already raised are the kernel's, and are added to its `status` if it has one.
    """
    cdef Job* job = &epilogue.job
    cdef Progress* progress = &epilogue.progress[thread]
    cdef npy_intp first = (begin - epilogue.result) // epilogue.size
    cdef int ninstr = job.ninstr, flags
    if epilogue.unstored:
        job = <Job*>(epilogue.jobs + thread * epilogue.apart)
    if first != progress.end:
        progress.unit = _first_unit(job, first)
    progress.end = (end - epilogue.result) // epilogue.size
    if not _is_complete(job, progress):
        return
    flags = lz_fp_take()
    if flags and status is not NULL:
        lz_fetch_or(status, flags)
    while _is_complete(job, progress):
        run_unit(job, progress.unit, job.scratch + thread * job.scratch_size, job.status + thread * ninstr,
                 not progress.begun)
        job.done[progress.unit] = True
        progress.begun = True
        progress.unit += 1
    lz_stream_end()
    lz_fp_take()  # left by loops that report nothing


cdef inline npy_intp _first_unit(Job* job, npy_intp element) noexcept nogil:
    """Return the first unit that begins at or after this element."""
    cdef npy_intp a_unit = job.tile if job.long_rows else job.tile * job.row
    if job.long_rows:
        return element // job.row * job.pieces + (element % job.row + a_unit - 1) // a_unit
    return (element + a_unit - 1) // a_unit


cdef inline bint _is_complete(Job* job, Progress* progress) noexcept nogil:
    """Return whether a thread's range reaches the end of its next unit."""
    cdef npy_intp unit = progress.unit, end
    if unit >= job.units:
        return False
    if job.long_rows:
        end = unit // job.pieces * job.row + min((unit % job.pieces + 1) * job.tile, job.row)
    else:
        end = min((unit + 1) * job.tile, job.rows) * job.row
    return end <= progress.end
