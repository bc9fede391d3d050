"""Telling someone who watches how far an evaluation is that takes long.

The viewer is an object. It hears nothing of the first second and, after it, ten times a second at most: `show(done,
steps, name, done_rounds, rounds)`, where `rounds` is 0 outside loops and -1 where nobody knows; at the end of an
evaluation that it has heard of, `close()`.
"""
from cpython.object cimport PyObject

import time

cdef double _FIRST = 1.0, _EACH = 0.1    # seconds

cdef object _viewer = None
cdef bint _heard = False         # whether the viewer knows of this evaluation
cdef double _due = 0
cdef int _done = 0, _steps = 0   # of the evaluation
cdef str _name = ""              # of the step that runs
cdef PyObject* _loop = NULL      # the outermost one of that step; those within it tell nothing


cdef void set_viewer(object viewer) noexcept:
    global _viewer
    end_watch()
    _viewer = viewer


cdef bint is_watched() noexcept:
    return _viewer is not None


cdef int begin_watch() except -1:
    """An evaluation begins."""
    global _due
    _due = time.perf_counter() + _FIRST
    return 0


cdef int tell_step(int done, int steps, str name) except -1:
    """A step begins."""
    global _done, _steps, _name, _loop
    _done, _steps, _name, _loop = done, steps, name, NULL
    return _tell(0, 0)


cdef int tell_round(object loop, Py_ssize_t done, Py_ssize_t rounds) except -1:
    """A round of a loop begins."""
    global _loop
    if _loop is NULL:
        _loop = <PyObject*>loop
    return _tell(done, rounds) if _loop is <PyObject*>loop else 0


cdef int _tell(Py_ssize_t done_rounds, Py_ssize_t rounds) except -1:
    global _heard, _due
    viewer = _viewer                 # another thread may replace it
    now = time.perf_counter()
    if now >= _due and viewer is not None:
        _heard, _due = True, now + _EACH
        viewer.show(_done, _steps, _name, done_rounds, rounds)
    return 0


cdef void end_watch() noexcept:
    """The evaluation is over, or has failed."""
    global _heard
    if _heard:
        _heard = False
        _viewer.close()
