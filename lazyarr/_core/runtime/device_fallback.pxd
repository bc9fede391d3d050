"""Steps of a device that run on the host."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.step cimport Step

ctypedef list (*HostRun)(Walk* w, Step step, list aliases)

cpdef int warn_later(str text) except -1
cdef int note_no_room(object error) except -1
cdef int issue_warnings() except -1
cdef list run_without_device(Walk* w, Step step, list aliases, HostRun run_on_host)
