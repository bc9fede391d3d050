"""Memory blocks of devices, which the host cannot address."""

cdef class DeviceMemory:
    cdef char* data             # a fictitious address for address arithmetic
    cdef readonly size_t nbytes
    cdef readonly int device
    cdef readonly object handle  # handle of the driver
    cdef long long used         # time of last use, as a counter
    cdef bint is_read_only      # memory of other code that must not be written to

cdef int (*make_room)(int device, size_t nbytes) except -1  # frees memory on a device; returns whether any was freed

cdef size_t drop_tables(int device, size_t nbytes) except? 0
cdef void note_use(DeviceMemory memory) noexcept
cdef DeviceMemory new_memory(int device, size_t nbytes)
cdef DeviceMemory memory_of(int device, object handle, size_t nbytes)
cdef int read_memory(DeviceMemory memory, char* source, char* to, size_t nbytes) except -1
cdef int write_memory(DeviceMemory memory, char* to, char* source, size_t nbytes) except -1
