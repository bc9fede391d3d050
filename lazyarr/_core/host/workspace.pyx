"""Workspace: memory that kernels borrow while they run.

It comes from the pool, or from the part of the evaluation's arena that is free during the step. The evaluation records
the largest request, so that its next arena with the same layout has room for it.
"""
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, new_buffer, part_of
from lazyarr._core.host.run_context cimport RunContext, current_run

cdef enum:
    ALIGNED = 4096          # same as large blocks of the pool


cdef Buffer new_workspace(size_t nbytes):
    """Return at least `nbytes`, uninitialised; the caller must release them before the step ends."""
    cdef RunContext* run = current_run()
    cdef npy_intp begin
    if run.block is NULL:
        return new_buffer(nbytes)
    begin = (run.free_from + ALIGNED - 1) // ALIGNED * ALIGNED
    run.free_from = begin + <npy_intp>nbytes
    run.wanted = max(run.wanted, run.free_from)
    if run.free_from > <npy_intp>(<Buffer>run.block).nbytes:
        return new_buffer(nbytes)
    return part_of(<Buffer>run.block, begin, nbytes)


cdef void lend(Buffer block) noexcept:
    """Take the workspace of this evaluation from a block, which the caller keeps until `end_loan`."""
    cdef RunContext* run = current_run()
    run.block, run.free_from, run.wanted = <void*>block, 0, 0


cdef npy_intp end_loan() noexcept:
    """Take workspace from the pool again; return the block size that all requests would need."""
    cdef RunContext* run = current_run()
    run.block = NULL
    return run.wanted


cdef npy_intp workspace_start() noexcept:
    """Return the offset from which the block is free."""
    return current_run().free_from


cdef void set_workspace_start(npy_intp at) noexcept:
    """Set the offset from which the block is free."""
    current_run().free_from = at
