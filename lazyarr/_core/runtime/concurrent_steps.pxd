"""Running programs of a plan side by side."""
from lazyarr._core.ir.fingerprint cimport Walk

cdef struct Abreast:    # in one run of a plan; zeros to begin with
    int done            # how many steps have just run side by side
    int alone           # the first step that may be tried again; those before it run by themselves
    double work         # of theirs, in nanoseconds on one thread
    bint asked, allowed

cdef int steps_together(Walk* w, list steps, int first) except -1
cdef list run_abreast(Walk* w, list steps, int first, list aliases, Abreast* abreast, list timeline)
cdef bint are_harmless(Walk* w) except -1
