"""Blocks of memory that the host cannot address.

A block has an address, so that windows on it are computed as on any memory. Nothing lies there, and no program can have
such an address: the host faults if it reads or writes there.
"""
cimport cython

from lazyarr._core.host.device_table cimport drivers

cdef struct Addresses:
    size_t next
    long long uses

cdef Addresses _addresses = Addresses(<size_t>1 << 56, 0)     # beyond what processors can address


@cython.final
cdef class DeviceMemory:
    """A block in the memory of a device, freed with the last reference to it."""


cdef DeviceMemory new_memory(int device, size_t nbytes):
    """Allocate on a device; MemoryError if it has no room, nor can make any."""
    return memory_of(device, _allocate(device, max(nbytes, 1)), nbytes)


cdef DeviceMemory memory_of(int device, object handle, size_t nbytes):
    """A driver's block as memory of its device."""
    cdef DeviceMemory memory = DeviceMemory.__new__(DeviceMemory)
    memory.handle = handle
    note_use(memory)
    memory.device, memory.nbytes, memory.data = device, nbytes, <char*>_addresses.next
    _addresses.next += (nbytes + 127) & ~<size_t>63
    return memory


cdef object _allocate(int device, size_t nbytes):
    cdef size_t wanted = nbytes
    while True:
        try:
            return drivers[device].allocate(nbytes)
        except MemoryError:
            if not make_room(device, wanted):
                raise
        wanted *= 2     # what was freed may lie in pieces


cdef void note_use(DeviceMemory memory) noexcept:
    """Note that a block is used now."""
    _addresses.uses += 1
    memory.used = _addresses.uses


cdef int read_memory(DeviceMemory memory, char* source, char* to, size_t nbytes) except -1:
    """Copy from a block to the host, after all that was launched on the device before."""
    if nbytes:
        drivers[memory.device].read(memory.handle, <size_t>(source - memory.data), <size_t>to, nbytes)
    return 0


cdef int write_memory(DeviceMemory memory, char* to, char* source, size_t nbytes) except -1:
    """Copy from the host to a block, before all that is launched later."""
    if nbytes:
        drivers[memory.device].write(memory.handle, <size_t>(to - memory.data), <size_t>source, nbytes)
    return 0
