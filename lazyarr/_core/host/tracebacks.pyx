"""Tracebacks that end at the user's line: internal frames are removed from errors that leave lazyarr.

An error passes native functions, each of which calls `_pass` (`simd/tracebacks.h`), and public Python functions, which
call `hide_frames` (`api_boundary`). Both remove the frames of this package, those of NumPy and the standard library
called from it, and errors that were handled inside. Frames of user functions stay, with all that they called.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, Py_XINCREF

import os
import sys

cdef extern from "Python.h":
    ctypedef struct PyFrameObject
    ctypedef struct PyTracebackObject:
        PyTracebackObject* tb_next
        PyFrameObject* tb_frame
    void PyErr_Fetch(PyObject** kind, PyObject** error, PyObject** trace) noexcept
    void PyErr_Restore(PyObject* kind, PyObject* error, PyObject* trace) noexcept
    bint PyExceptionInstance_Check(PyObject* error) noexcept
    bint LAZYARR_DEBUG

cdef extern from "simd/frames.h":
    PyObject* lz_frame_code(PyObject* frame) noexcept

cdef enum Owner:
    USER, STANDARD, NUMPYS, OURS

cdef struct Filter:
    bint on
    bint busy               # inside `_pass`, whose own errors are not filtered

_word = os.environ.get("LAZYARR_TRACEBACK_FILTERING", "0" if LAZYARR_DEBUG else "1")

cdef Filter _filter = Filter(_word.lower() not in ("0", "off", "false", "no"), False)
cdef dict _owners = {}      # owner of frames by file name

cdef str _folder = os.path.join(sys.modules[__name__.partition(".")[0]].__path__[0], "")
cdef str _standard = os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "")


def set_filtering(bint on):
    """Set whether frames are removed from tracebacks."""
    _filter.on = on


def get_filtering():
    """Return whether frames are removed from tracebacks."""
    return bool(_filter.on)


def hide_frames(error):
    """Remove internal frames from an exception being handled; call it where one leaves the package."""
    if _filter.on:
        error.__traceback__ = _users(error.__traceback__)
        _hide_related(error)


cdef int _pass() noexcept:
    """Remove internal Python frames when an exception passes a native function.

    Returns whether to remove the native frame, too.
    """
    cdef PyObject* kind
    cdef PyObject* error
    cdef PyObject* trace
    if not _filter.on or _filter.busy:
        return False
    PyErr_Fetch(&kind, &error, &trace)
    _filter.busy = True
    try:
        if trace is not NULL:
            kept = _users(<object>trace)
            Py_DECREF(<object>trace)
            trace = NULL
            if kept is not None:
                Py_INCREF(kept)
                trace = <PyObject*>kept
        if error is not NULL and PyExceptionInstance_Check(error):
            if trace is NULL:
                (<object>error).__traceback__ = None  # its traceback where native code caught it
            _hide_related(<object>error)
    except BaseException:  # e.g. MemoryError; the original error matters more
        pass
    _filter.busy = False
    PyErr_Restore(kind, error, trace)
    return True


cdef object _users(object trace):
    """Return the remaining entries of a traceback, relinked in place; None if there are none."""
    cdef PyTracebackObject* entry
    cdef PyTracebackObject* last = NULL
    cdef bint inside = True  # in lazyarr, or called from it
    cdef Owner owner
    first = None
    while trace is not None:
        entry = <PyTracebackObject*>trace
        following = <object>entry.tb_next if entry.tb_next is not NULL else None
        owner = _owner_of(entry.tb_frame)
        if owner == OURS or inside and owner != USER:
            inside = True
        else:
            inside = False
            if last is NULL:
                first = trace
            else:
                _link(last, trace)
            last = entry
        trace = following
    if last is not NULL:
        _link(last, None)
    return first


cdef int _link(PyTracebackObject* entry, object following) except -1:
    cdef PyObject* before = <PyObject*>entry.tb_next
    entry.tb_next = <PyTracebackObject*>following if following is not None else NULL
    Py_XINCREF(<PyObject*>entry.tb_next)
    Py_XDECREF(before)
    return 0


cdef int _hide_related(object error) except -1:
    """Remove frames from chained errors, and chained errors that the user never saw."""
    cdef set seen = set()
    cdef list todo = [error]
    while todo:
        error = todo.pop()
        if id(error) in seen:
            continue
        seen.add(id(error))
        context = error.__context__
        if context is not None and not error.__suppress_context__:
            before = context
            while context is not None and _was_handled_inside(context):
                context = context.__context__
            if context is not before:
                error.__context__ = context
            if context is not None:
                todo.append(context)
        cause = error.__cause__
        if cause is not None:
            cause.__traceback__ = _users(cause.__traceback__)
            todo.append(cause)
    return 0


cdef bint _was_handled_inside(object error) except -1:
    """Return whether no user frame raised or handled an error; internal frames are removed."""
    trace = error.__traceback__
    if trace is not None and _owner_of((<PyTracebackObject*>trace).tb_frame) == STANDARD:
        return False  # lazyarr calls the standard library from Python: unrelated
    error.__traceback__ = _users(trace)
    return error.__traceback__ is None


cdef Owner _owner_of(PyFrameObject* frame) except *:
    cdef PyObject* code = lz_frame_code(<PyObject*>frame)
    cdef str path = (<object>code).co_filename
    Py_DECREF(<object>code)
    cdef object known = _owners.get(path)
    if known is None:
        known = _owners[path] = int(_owner_of_file(path))
    return <Owner><int>known


cdef Owner _owner_of_file(str path) except *:
    if path.startswith((_folder, "lazyarr/_core/")):  # native frames have the names of sources
        return OURS
    if path.startswith("<frozen "):
        return STANDARD
    numpy = getattr(sys.modules.get("numpy"), "__path__", None) or ["numpy"]
    if path.startswith((os.path.join(numpy[0], ""), "numpy/")):  # NumPy's native functions
        return USER if "/tests/" in path.replace(os.sep, "/") else NUMPYS  # NumPy's tests count as user code
    return STANDARD if path.startswith(_standard) and "-packages" not in path else USER


rule = PyCapsule_New(<void*>&_pass, "rule", NULL)
