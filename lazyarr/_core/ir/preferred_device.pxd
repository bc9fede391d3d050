from numpy cimport npy_intp

from lazyarr._core.ir.history cimport recordings
from lazyarr._core.ir.node cimport Node
from lazyarr._core.ir.provenance cimport put_on

cdef int preferred          # the device for large results of operations on host arrays; 0 for none
cdef int suspensions        # blocks of `lazyarr.device`, in all threads
cdef npy_intp LEAST_BYTES


cdef inline void prefer_device(Node made) noexcept:
    """Have a large result of operands on the host be computed on the preferred device, unless a function is traced."""
    if preferred and made.device == 0 and made.size * made.itemsize >= LEAST_BYTES and suspensions == 0 \
            and recordings == 0:
        put_on(made, preferred)
