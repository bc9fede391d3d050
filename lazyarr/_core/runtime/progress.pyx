"""Progress reports of long evaluations to a viewer.

The viewer is an object whose method `show(done, steps, name, done_rounds, rounds)` is called after the first second,
and then at most ten times a second; `rounds` is 0 outside loops and -1 if unknown. If it was called, `close()` is
called at the end of the evaluation.
"""
from cpython.object cimport PyObject

cimport cython

import time

cdef double _FIRST = 1.0, _EACH = 0.1    # seconds


@cython.final
cdef class _Progress:
    """The progress of the outermost evaluation."""
    cdef object viewer
    cdef bint shown             # whether the viewer was called
    cdef double due             # time of the next report
    cdef int done, steps
    cdef str name               # name of the running step
    cdef PyObject* loop         # the outermost loop of that step; inner loops report nothing

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
    """Begin an evaluation."""
    _progress.due = time.perf_counter() + _FIRST
    return 0


cdef int report_step(int done, int steps, str name) except -1:
    """Report the start of a step."""
    _progress.done, _progress.steps, _progress.name, _progress.loop = done, steps, name, NULL
    return _progress.show(0, 0)


cdef int report_round(object loop, Py_ssize_t done, Py_ssize_t rounds) except -1:
    """Report the start of a loop iteration."""
    if _progress.loop is NULL:
        _progress.loop = <PyObject*>loop
    return _progress.show(done, rounds) if _progress.loop is <PyObject*>loop else 0


cdef void end_watch() noexcept:
    """End an evaluation, successful or not."""
    if _progress.shown:
        _progress.shown = False
        _progress.viewer.close()
