"""Blocks of memory that the host cannot address."""

cdef class DeviceMemory:
    cdef char* data             # an address at which nothing lies, to compute others with
    cdef readonly size_t nbytes
    cdef readonly int device
    cdef readonly object handle  # the driver's
    cdef long long used         # when it was used last, by the count of uses
    cdef bint is_read_only      # it is that of other code, which does not want it to be written to

cdef int (*make_room)(int device, size_t nbytes) except -1  # frees memory on a device; whether there was any to free

cdef size_t drop_tables(int device, size_t nbytes) except? 0
cdef void note_use(DeviceMemory memory) noexcept
cdef DeviceMemory new_memory(int device, size_t nbytes)
cdef DeviceMemory memory_of(int device, object handle, size_t nbytes)
cdef int read_memory(DeviceMemory memory, char* source, char* to, size_t nbytes) except -1
cdef int write_memory(DeviceMemory memory, char* to, char* source, size_t nbytes) except -1
