"""Handles that nothing refers to any more, kept for the next ones."""
from cpython.object cimport PyObject

from lazyarr._core.frontend.lazy_array cimport LazyArray

cdef extern from "simd/fast_dealloc.h":
    LazyArray lz_revive(PyObject* o) noexcept

cdef enum:
    MOST_KEPT = 64

cdef PyObject* _kept[MOST_KEPT]
cdef int _count = 0


cdef bint shelve(LazyArray handle) noexcept:
    """Keep a handle that is about to be deallocated; False if there are enough."""
    global _count
    if _count == MOST_KEPT:
        return False
    _kept[_count] = <PyObject*>handle
    _count += 1
    return True


cdef LazyArray bare_handle():
    """A handle whose node is still to be set."""
    global _count
    if _count == 0:
        return LazyArray.__new__(LazyArray)
    _count -= 1
    return <LazyArray>lz_revive(_kept[_count])
