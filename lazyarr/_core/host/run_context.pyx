"""The state of one running evaluation: its workspace, offered epilogue and worker trace.

Contexts form a stack: a signal handler that evaluates during a step gets its own and leaves the interrupted one alone.
The evaluation lock (evaluation_lock.pyx) guards the stack. Kernels outside of evaluations, on any thread, find an empty
context.
"""
from libc.string cimport memset

cdef extern from "pythread.h" nogil:
    unsigned long PyThread_get_thread_ident()

cdef struct ContextStack:
    RunContext contexts[MAX_DEPTH + 1]  # the first one is for kernels outside of evaluations
    int depth

cdef ContextStack _stack


cdef RunContext* begin_run(unsigned long thread) except NULL:
    """Push the context of a new evaluation."""
    cdef RunContext* outer = innermost_run()
    if outer.depth == MAX_DEPTH:
        raise RecursionError("evaluations nested too deeply")
    cdef RunContext* run = outer + 1
    memset(run, 0, sizeof(RunContext))
    run.depth, run.thread, run.trace, run.arenas = outer.depth + 1, thread, outer.trace, outer.arenas
    _stack.depth = run.depth
    return run


cdef void end_run() noexcept:
    """Pop the context of the ending evaluation, so that no other thread uses it."""
    innermost_run().thread = 0
    _stack.depth -= 1


cdef void forget_runs() noexcept:
    """Clear the stack in a forked child, where the evaluating thread does not exist."""
    memset(&_stack, 0, sizeof(_stack))


cdef RunContext* innermost_run() noexcept nogil:
    """Return the context of the innermost evaluation of any thread; its depth is 0 if there is none."""
    return &_stack.contexts[_stack.depth]


cdef RunContext* current_run() noexcept nogil:
    """Return the context of this thread's innermost evaluation; an empty one if it does not evaluate."""
    cdef RunContext* run = innermost_run()
    return run if run.depth and run.thread == PyThread_get_thread_ident() else _stack.contexts
