"""One evaluation at a time.

Who evaluates is known under the GIL; only a thread that has to wait touches the gate, a lock that is locked but for
the moment between the end of an evaluation and the start of a waiting thread.
"""
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_get_thread_ident, PyThread_release_lock,
    PyThread_type_lock, WAIT_LOCK)

import os

cdef unsigned long _owner = 0
cdef int _waiting = 0
cdef bint _gate_open = False
cdef PyThread_type_lock _gate = PyThread_allocate_lock()
PyThread_acquire_lock(_gate, WAIT_LOCK)


cdef int enter() except -1:
    """Wait until no other thread evaluates or walks."""
    global _owner, depth, _waiting, _gate_open
    cdef unsigned long me = PyThread_get_thread_ident()
    if depth and _owner == me:
        if depth == MAX_DEPTH:
            raise RecursionError("evaluations nested too deeply")
        depth += 1
        return 0
    while depth:
        _waiting += 1
        with nogil:
            PyThread_acquire_lock(_gate, WAIT_LOCK)
        _gate_open = False
        _waiting -= 1
    _owner = me
    depth = 1
    return 0


cdef void leave() noexcept:
    global _owner, depth, _gate_open
    depth -= 1
    if depth == 0:
        _owner = 0
        if _waiting and not _gate_open:
            _gate_open = True
            PyThread_release_lock(_gate)


cdef class held:
    """A block during which no other thread evaluates: `with held():`."""

    def __enter__(self):
        enter()

    def __exit__(self, *_):
        leave()


def _after_fork_in_child():
    """The thread that evaluated does not exist here; a fork inside an evaluation keeps its own."""
    global _gate, _gate_open, depth, _owner, _waiting
    _gate = PyThread_allocate_lock()
    PyThread_acquire_lock(_gate, WAIT_LOCK)
    _gate_open = False
    _waiting = 0
    if not (depth and _owner == PyThread_get_thread_ident()):
        depth = 0
        _owner = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
