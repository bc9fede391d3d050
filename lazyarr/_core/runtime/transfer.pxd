from lazyarr._core.host.allocator cimport Buffer
from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.node cimport Node

cdef class Transfer:
    cdef readonly int device    # target device
    cdef bint is_kept           # the source caches the copy for further readers
    cdef Copy copy              # the copy if it has begun, or None

cdef class Copy:
    cdef object source          # keeps the source alive
    cdef char* data
    cdef object block           # target: a Buffer or a DeviceMemory
    cdef char* to
    cdef readonly size_t nbytes
    cdef int origin, device
    cdef object variable        # engine variable, or None
    cdef int process
    cdef object error           # exception of a failed copy, or None
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
