"""Several results of one call on a device."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.runtime.call_step cimport Kept

cdef class DeviceResults(Kept):
    cdef list memory        # None before allocation
    cdef list places        # positions of results in the walk
    cdef list read_later    # positions of calls in the walk whose results are read later
    cdef int allocate(self, int device) except -1
    cdef int publish_all(self, Walk* w) except -1

cdef DeviceResults device_results(Walk* w, int at, list aliases)
