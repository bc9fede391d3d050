"""The evaluation lock: one evaluation at a time.

The GIL protects the owner's identity. Only a thread that has to wait touches the gate, a lock that is open only between
the end of an evaluation and the start of a waiting thread.
"""
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_get_thread_ident, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK)

from lazyarr._core.host.run_context cimport RunContext, begin_run, current_run, end_run, forget_runs, innermost_run
from lazyarr._core.host.threads cimport set_busy

import os

cdef extern from "pythread.h" nogil:
    ctypedef enum PyLockStatus:
        PY_LOCK_INTR
    PyLockStatus PyThread_acquire_lock_timed(PyThread_type_lock lock, long long microseconds, int intr_flag)

cdef struct Gate:
    PyThread_type_lock lock
    int waiting             # waiting threads
    bint is_open

cdef Gate _gate = Gate(PyThread_allocate_lock(), 0, False)
PyThread_acquire_lock(_gate.lock, WAIT_LOCK)


cdef RunContext* enter() except NULL:
    """Wait until no other thread evaluates or walks; return a new run context."""
    cdef unsigned long me = PyThread_get_thread_ident()
    cdef PyLockStatus status
    cdef bint busy
    while innermost_run().depth and innermost_run().thread != me:
        _gate.waiting += 1
        with nogil:
            busy = set_busy(False)
            status = PyThread_acquire_lock_timed(_gate.lock, -1, True)
            set_busy(busy)
        _gate.waiting -= 1
        if status == PY_LOCK_INTR:
            PyErr_CheckSignals()  # Ctrl-C ends the wait; an open gate stays open for the next thread
        else:
            _gate.is_open = False
    return begin_run(me)


cdef bint evaluates_here() noexcept:
    """Return whether this thread evaluates or walks."""
    return current_run().depth > 0


cdef void leave() noexcept:
    end_run()
    if innermost_run().depth == 0 and _gate.waiting and not _gate.is_open:
        _gate.is_open = True
        PyThread_release_lock(_gate.lock)


cdef class held:
    """A block during which no other thread evaluates: `with held():`."""

    def __enter__(self):
        enter()

    def __exit__(self, *_):
        leave()


def _after_fork_in_child():
    """Release the lock of a thread lost by the fork; a fork inside an evaluation keeps its own."""
    _gate.lock = PyThread_allocate_lock()
    PyThread_acquire_lock(_gate.lock, WAIT_LOCK)
    _gate.waiting, _gate.is_open = 0, False
    if current_run().depth == 0:
        forget_runs()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
