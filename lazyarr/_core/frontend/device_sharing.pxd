from numpy cimport npy_intp

from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.node cimport Node

cdef inline bint is_shared_there(LazyArray base) noexcept:
    """Return whether the storage is device memory that other code may write to."""
    return type(base.export) is DeviceMemory

cdef Node leaf_there(DeviceMemory memory, Node layout, npy_intp offset, npy_intp span)
cdef Node copy_there(DeviceMemory memory, Node layout)
cdef Node snapshot_there(LazyArray x)
cdef int refresh(LazyArray base) except -1
cdef int write_there(LazyArray x, Node value) except -1
