"""Memory blocks of devices, which the host cannot address, and eviction when a device is full.

A block has a fictitious address, so that windows are computed as on host memory. No process maps such addresses: the
host faults if it accesses them.

If a device has no room for a block, recomputable tables are evicted first, then values.
"""
from cpython.object cimport PyObject

cimport cython

from lazyarr._core.host.device_table cimport drivers, note_memory

from functools import partial

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

MOST_TABLES = 64    # per device

cdef struct Addresses:
    size_t next
    long long uses

cdef Addresses _addresses = Addresses(<size_t>1 << 56, 0)     # beyond the address space of processors


@cython.final
cdef class DeviceMemory:
    """A block in a device's memory, freed with the last reference."""


cdef DeviceMemory new_memory(int device, size_t nbytes):
    """Allocate on a device; raise MemoryError if there is no room even after eviction."""
    return memory_of(device, allocate(drivers[device], nbytes), nbytes)


cdef DeviceMemory memory_of(int device, object handle, size_t nbytes):
    """Wrap a driver's block as memory of its device."""
    cdef DeviceMemory memory = DeviceMemory.__new__(DeviceMemory)
    memory.handle = handle
    note_use(memory)
    memory.device, memory.nbytes, memory.data = device, nbytes, <char*>_addresses.next
    _addresses.next += (nbytes + 127) & ~<size_t>63
    return memory


def allocate(driver, size_t nbytes):
    """Return a driver's block of at least one byte, evicting as `with_room` does."""
    nbytes = max(nbytes, 1)
    return with_room(driver, partial(driver.allocate, nbytes), nbytes)


def with_room(driver, attempt, size_t nbytes):
    """Return attempt(), which allocates on a device.

    After a MemoryError, values are evicted and it is called again, until nothing is left to evict.
    """
    cdef size_t wanted = nbytes
    while True:
        try:
            return attempt()
        except MemoryError:
            if driver not in drivers or not make_room(drivers.index(driver), wanted):
                raise
        wanted *= 2     # freed memory may be fragmented


@cython.final
cdef class _Table:
    """A block that counts as memory of its device, unless that is 0."""
    cdef object handle
    cdef Py_ssize_t nbytes
    cdef int device

    def __dealloc__(self):
        note_memory(self.device, -self.nbytes)


def table(driver, key, make):
    """Return a driver's block with an array made by `make`, cached on the device while there is room.

    Parameters
    ----------
    driver : Driver
    key : hashable
        The cache key.
    make : callable
    """
    cdef dict tables = driver.tables
    cdef _Table found = tables.pop(key, None)
    if found is None:
        array = make()
        found = _Table.__new__(_Table)
        found.handle = allocate(driver, array.nbytes)
        driver.write(found.handle, 0, array.ctypes.data, array.nbytes)
        found.device, found.nbytes = drivers.index(driver) if driver in drivers else 0, array.nbytes
        note_memory(found.device, found.nbytes)
    while len(tables) >= MOST_TABLES:
        del tables[next(iter(tables))]
    tables[key] = found     # most recently used last
    return found.handle


cdef size_t drop_tables(int device, size_t nbytes) except? 0:
    """Free at least `nbytes` of unused tables, if there are as many; return the freed bytes."""
    cdef dict tables = drivers[device].tables
    cdef size_t freed = 0
    cdef _Table found
    for key, found in list(tables.items()):
        if freed < nbytes and Py_REFCNT(<PyObject*>found.handle) == 1:
            freed += found.nbytes
            del tables[key]
    return freed


cdef void note_use(DeviceMemory memory) noexcept:
    """Record a use of a block."""
    _addresses.uses += 1
    memory.used = _addresses.uses


cdef int read_memory(DeviceMemory memory, char* source, char* to, size_t nbytes) except -1:
    """Copy from a block to the host, after all earlier launches on the device."""
    if nbytes:
        drivers[memory.device].read(memory.handle, <size_t>(source - memory.data), <size_t>to, nbytes)
    return 0


cdef int write_memory(DeviceMemory memory, char* to, char* source, size_t nbytes) except -1:
    """Copy from the host to a block, before all later launches."""
    if nbytes:
        drivers[memory.device].write(memory.handle, <size_t>(to - memory.data), <size_t>source, nbytes)
    return 0
