"""The state of one running evaluation."""
from numpy cimport npy_intp

cdef enum:
    MAX_DEPTH = 16

cdef struct RunContext:
    int depth               # nesting depth on this thread; 0: no evaluation
    unsigned long thread    # the evaluating thread
    # workspace of kernels (workspace.pyx)
    void* block             # a `Buffer`, or NULL
    npy_intp free_from      # offset from which the block is free
    npy_intp wanted         # size of a block that would hold all requests so far
    void* epilogue          # the `Epilogue` offered to the running kernel, or NULL (epilogue.pyx)
    void* trace             # the `Shares` of an observed evaluation, or NULL (worker_trace.pyx)
    int arenas              # arenas of tile programs in use, those of interrupted evaluations included (loop_nest.pyx)

cdef RunContext* begin_run(unsigned long thread) except NULL
cdef void end_run() noexcept
cdef void forget_runs() noexcept
cdef RunContext* innermost_run() noexcept nogil
cdef RunContext* current_run() noexcept nogil
