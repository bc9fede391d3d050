from numpy cimport npy_intp

from lazyarr._core.ir.history cimport recordings
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.provenance cimport put_on

cdef struct Preference:
    int device              # for large results of operations on host arrays; 0 for none
    int suspensions         # blocks of `lazyarr.device`, in all threads
    npy_intp least_bytes    # of a large array

cdef Preference preference


cdef inline void prefer_device(Node made) noexcept:
    """Have a large result of operands on the host be computed on the preferred device, unless a function is traced."""
    if preference.device and made.device == 0 and made.size * made.itemsize >= preference.least_bytes \
            and preference.suspensions == 0 and recordings == 0:
        put_on(made, preference.device)
