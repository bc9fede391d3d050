"""The freelist of handles."""
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
    """Recycle a handle that is about to be deallocated; return False if the list is full."""
    if _free.count == MOST_KEPT:
        return False
    _free.handles[_free.count] = <PyObject*>handle
    _free.count += 1
    return True


cdef LazyArray bare_handle():
    """Return a handle without a node."""
    if _free.count == 0:
        return LazyArray.__new__(LazyArray)
    _free.count -= 1
    return <LazyArray>lz_revive(_free.handles[_free.count])
