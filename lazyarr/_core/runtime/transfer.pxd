from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.node cimport Node

cdef class Transfer:
    cdef readonly int device    # where to
    cdef bint is_kept           # the source keeps the copy for the next operation that needs it
    cdef Copy copy              # begun, or None

cdef class Copy:
    cdef object source          # keeps what is copied
    cdef char* data
    cdef object block           # where to: a Buffer or a DeviceMemory
    cdef char* to
    cdef readonly size_t nbytes
    cdef int origin, device
    cdef object variable        # of the engine, or None
    cdef int process
    cdef object error           # that it failed with, or None
    cdef readonly bint has_ended
    cdef readonly double began, seconds
    cdef int move(self) except -1
    cdef int wait(self) except -1
    cdef bint is_lost(self)

cdef Node transfer_node(Node source, int device)
cdef Node value_on(Node source, int device)
cdef int put_back(Node node, Buffer copy, DeviceMemory memory) except -1
cdef bint needs_no_copy(Node node) except -1
cdef int end_without_copy(Node node) except -1
cdef bint is_transfer(Node node) noexcept
cdef Copy begin_transfer(Node node)
cdef int end_transfer(Node node) except -1
cdef int stay_on_host(Node node) except -1
cdef Copy begin_fetch(Node node)
cdef int end_fetch(Node node, Copy copy) except -1
