"""Steps on a device that computes by itself."""
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.step cimport Step

ctypedef list (*HostRun)(Walk* w, Step step, list aliases)

cdef bint on_accelerator(Walk* w) noexcept
cdef int tell_warnings() except -1
cdef list run_on_accelerator(Walk* w, Step step, list aliases, HostRun run_on_host)
