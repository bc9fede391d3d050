"""Reports how far a long evaluation is to a viewer.

The viewer is an object. It hears nothing during the first second, and later at most ten times a second:
`show(done, steps, name, done_rounds, rounds)`, where `rounds` is 0 outside loops and -1 where their number is unknown.
At the end of an evaluation that was shown it hears `close()`.
"""
from cpython.object cimport PyObject

cimport cython

import time

cdef double _FIRST = 1.0, _EACH = 0.1    # seconds


@cython.final
cdef class _Progress:
    """How far the outermost evaluation is."""
    cdef object viewer
    cdef bint shown             # to the viewer
    cdef double due             # when it is to hear next
    cdef int done, steps
    cdef str name               # of the running step
    cdef PyObject* loop         # the outermost one of that step; loops inside it report nothing

    cdef int show(self, Py_ssize_t done_rounds, Py_ssize_t rounds) except -1:
        viewer = self.viewer                 # another thread may replace it
        now = time.perf_counter()
        if now >= self.due and viewer is not None:
            self.shown, self.due = True, now + _EACH
            viewer.show(self.done, self.steps, self.name, done_rounds, rounds)
        return 0


cdef _Progress _progress = _Progress()


cdef void set_viewer(object viewer) noexcept:
    end_watch()
    _progress.viewer = viewer


cdef bint is_watched() noexcept:
    return _progress.viewer is not None


cdef int begin_watch() except -1:
    """An evaluation begins."""
    _progress.due = time.perf_counter() + _FIRST
    return 0


cdef int report_step(int done, int steps, str name) except -1:
    """A step begins."""
    _progress.done, _progress.steps, _progress.name, _progress.loop = done, steps, name, NULL
    return _progress.show(0, 0)


cdef int report_round(object loop, Py_ssize_t done, Py_ssize_t rounds) except -1:
    """A round of a loop begins."""
    if _progress.loop is NULL:
        _progress.loop = <PyObject*>loop
    return _progress.show(done, rounds) if _progress.loop is <PyObject*>loop else 0


cdef void end_watch() noexcept:
    """The evaluation is over, or has failed."""
    if _progress.shown:
        _progress.shown = False
        _progress.viewer.close()
