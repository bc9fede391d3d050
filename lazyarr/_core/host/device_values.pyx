"""Values in device memory, and their copies on the host.

A table has borrowed references to all nodes with values on devices. A value that is also on the host is owned there by
one or more `Mirror`s. Their memory is never overwritten in place, so both copies stay equal.
"""
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

cimport cython

from lazyarr._core.host.device_table cimport note_memory

cdef enum:
    LEAST_ROOM = 64

cdef struct Entry:
    PyObject* value             # NULL: free entry
    PyObject* mirrors           # its first `Mirror`, or NULL

cdef struct Table:
    Entry* entries              # hash table with linear probing
    size_t room, count          # capacity, a power of two, at most half full; entries

cdef Table _table = Table(NULL, 0, 0)


@cython.final
@cython.no_gc
cdef class Mirror:
    """Owns host memory of a value that is on a device, too."""

    def __dealloc__(self):
        _detach(self)


cdef Mirror new_mirror(object memory, char* data):
    cdef Mirror mirror = Mirror.__new__(Mirror)
    mirror.memory, mirror.data = memory, data
    return mirror


cdef int set_copy(Mirror mirror, object value, bint is_kept) except -1:
    """Set the node that has a mirror's value on a device, replacing any previous one."""
    cdef Entry* entry
    if _table.count == 0:
        return 0
    entry = _find(<PyObject*>value)
    if entry.value is NULL:     # no memory for the entry
        return 0
    _detach(mirror)
    mirror.copy, mirror.next = entry.value, entry.mirrors
    entry.mirrors = <PyObject*>mirror
    mirror.kept = value if is_kept else None
    return 0


cdef void _detach(Mirror mirror) noexcept:
    """Unlink a mirror from the list of its node."""
    cdef PyObject** link
    if mirror.copy is not NULL:
        link = &_find(mirror.copy).mirrors
        while link[0] != <PyObject*>mirror:
            link = &(<Mirror>link[0]).next
        link[0] = mirror.next
        mirror.copy = mirror.next = NULL


cdef Mirror mirror_of(object value):
    """Return a mirror of a node, or None."""
    cdef Entry* entry
    if _table.count == 0:
        return None
    entry = _find(<PyObject*>value)
    return <Mirror>entry.mirrors if entry.mirrors is not NULL else None


cdef list noted_values():
    """Return all nodes with a value on a device."""
    cdef list values = [None] * _table.count
    cdef size_t at
    cdef Py_ssize_t found = 0
    for at in range(_table.room):       # nothing is freed or allocated here
        if _table.entries[at].value is not NULL:
            values[found] = <object>_table.entries[at].value
            found += 1
    return values


cdef void note_value(int device, PyObject* value, Py_ssize_t nbytes) noexcept:
    """Record a node with a new value on a device."""
    cdef Entry* entry
    note_memory(device, nbytes)
    if 2 * (_table.count + 1) > _table.room and not _grow():
        return
    entry = _find(value)
    _table.count += entry.value is NULL
    entry.value = value


cdef void rename_value(PyObject* value, PyObject* successor) noexcept:
    """Record that another node has a value from now on, with all mirrors."""
    cdef PyObject* first
    cdef Entry* entry
    if _table.count == 0 or _find(value).value is NULL:
        return
    entry = _find(value)
    first = entry.mirrors
    _remove(entry)
    entry = _find(successor)
    entry.value, entry.mirrors = successor, first
    _table.count += 1
    while first is not NULL:
        (<Mirror>first).copy = successor
        if (<Mirror>first).kept is not None:
            (<Mirror>first).kept = <object>successor
        first = (<Mirror>first).next


cdef void forget_value(int device, PyObject* value, Py_ssize_t nbytes) noexcept:
    """Remove a node that has no value on its device any more; its mirrors lose their copy."""
    cdef Entry* entry
    cdef PyObject* mirror
    note_memory(device, -nbytes)
    if _table.count == 0:
        return
    entry = _find(value)
    if entry.value is NULL:
        return
    mirror = entry.mirrors
    _remove(entry)
    while mirror is not NULL:
        mirror = _without_copy(<Mirror>mirror)


cdef PyObject* _without_copy(Mirror mirror) noexcept:
    """Clear the copy of a mirror; return the next mirror."""
    cdef PyObject* following = mirror.next
    mirror.copy = mirror.next = NULL
    mirror.kept = None
    return following


cdef Entry* _find(PyObject* value) noexcept:
    """Return the entry of a node, or a free one."""
    cdef size_t at = _place(value)
    while _table.entries[at].value is not NULL and _table.entries[at].value != value:
        at = (at + 1) & (_table.room - 1)
    return &_table.entries[at]


cdef size_t _place(PyObject* value) noexcept:
    return <size_t>(<uint64_t><size_t>value * <uint64_t>0x9E3779B97F4A7C15 >> 32) & (_table.room - 1)


cdef void _remove(Entry* entry) noexcept:
    """Free an entry, and move displaced entries after it."""
    cdef size_t mask = _table.room - 1, hole = entry - _table.entries, at = hole
    _table.count -= 1
    while True:
        at = (at + 1) & mask
        if _table.entries[at].value is NULL:
            break
        if ((at - _place(_table.entries[at].value)) & mask) >= ((at - hole) & mask):
            _table.entries[hole] = _table.entries[at]
            hole = at
    _table.entries[hole].value = _table.entries[hole].mirrors = NULL


cdef bint _grow() noexcept:
    """Double the table; return False if there is no memory."""
    cdef Table old = _table
    cdef size_t room = max(2 * old.room, <size_t>LEAST_ROOM), k
    cdef Entry* entries = <Entry*>calloc(room, sizeof(Entry))
    if entries is NULL:
        return False
    _table.entries, _table.room = entries, room
    for k in range(old.room):
        if old.entries[k].value is not NULL:
            _find(old.entries[k].value)[0] = old.entries[k]
    free(old.entries)
    return True
