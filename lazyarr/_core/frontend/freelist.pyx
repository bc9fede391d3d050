"""Handles that nothing refers to any more, kept for the next ones."""
from cpython.object cimport PyObject

cdef extern from "simd/fast_dealloc.h":
    LazyArray lz_revive(PyObject* o) noexcept

cdef enum:
    MOST_KEPT = 64

cdef struct FreeHandles:
    PyObject* handles[MOST_KEPT]
    int count

cdef FreeHandles _free
_free.count = 0


cdef bint shelve(LazyArray handle) noexcept:
    """Keep a handle that is about to be deallocated; False if there are enough."""
    if _free.count == MOST_KEPT:
        return False
    _free.handles[_free.count] = <PyObject*>handle
    _free.count += 1
    return True


cdef LazyArray bare_handle():
    """A handle whose node is still to be set."""
    if _free.count == 0:
        return LazyArray.__new__(LazyArray)
    _free.count -= 1
    return <LazyArray>lz_revive(_free.handles[_free.count])
