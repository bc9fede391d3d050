"""Eviction of values from device memory: first recomputable tables, then values that no evaluation uses.

Values with a copy on the host are dropped, the others copied to the host, least recently used first. They become host
values of arrays on the device: the next operation that reads one copies it back.
"""
from cpython.object cimport PyObject

from lazyarr._core.host cimport device_memory
from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.device_memory cimport DeviceMemory, drop_tables, read_memory
from lazyarr._core.host.device_table cimport devices
from lazyarr._core.host.device_values cimport Mirror, forget_value, mirror_of, noted_values
from lazyarr._core.ir.node cimport LEAF, REMOTE, Node, has_value
from lazyarr._core.runtime.evaluation cimport add_walked
from lazyarr._core.runtime.evaluation_lock cimport evaluates_here, held

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept

cdef list _running = []         # roots of running evaluations on devices


cdef int begin_use(list roots) except -1:
    """Pin the values that pending roots depend on to their devices, until `end_use`."""
    _running.append(roots)
    return 0


cdef int end_use(list roots) except -1:
    _running.remove(roots)
    return 0


cdef int _make_room(int device, size_t nbytes) except -1:
    """Free as many bytes of device memory, or what is possible; return whether anything was freed."""
    if evaluates_here():
        return _evict(device, nbytes)
    with held():
        return _evict(device, nbytes)


device_memory.make_room = _make_room


cdef int _evict(int device, size_t nbytes) except -1:
    cdef size_t freed = drop_tables(device, nbytes), found
    if freed >= nbytes:
        return True
    for _, _, nodes in sorted([row for row in _candidates(device)], key=_order):
        found = _move_to_host(nodes)
        freed += found
        if freed >= nbytes:
            break
    return freed > 0


def _order(row):
    return row[:2]


cdef list _candidates(int device):
    """Return evictable values: whether the host lacks them, their last use, their nodes."""
    cdef dict nodes_of = {}     # by memory address
    cdef set used = set()
    cdef list found = []
    cdef Node node
    add_walked(used)
    _add_used(used)
    for node in noted_values():
        if node.device == device and node.kind == REMOTE and type(node.owner) is DeviceMemory:
            nodes_of.setdefault(<size_t><PyObject*>node.owner, []).append(node)
    for nodes in nodes_of.values():
        node = nodes[0]
        if not any([id(each) in used for each in nodes]) and _is_idle(nodes):
            found.append((not any([mirror_of(each) is not None for each in nodes]),
                          (<DeviceMemory>node.owner).used, nodes))
    return found


cdef bint _is_idle(list nodes) except -1:
    """Return whether only the nodes refer to their memory: no copy and no launch."""
    return Py_REFCNT(<PyObject*>(<Node>nodes[0]).owner) == len(nodes)


cdef int _add_used(set used) except -1:
    """Add the addresses of the values that running evaluations still need."""
    cdef Node node, operand
    cdef int k
    cdef list stack = [node for roots in _running for node in roots if not has_value(<Node>node)]
    cdef set seen = {id(node) for node in stack}
    while stack:
        node = stack.pop()
        for k in range(node.ninputs):
            operand = <Node>node.inputs[k]
            if has_value(operand):
                used.add(id(operand))
            elif id(operand) not in seen:
                seen.add(id(operand))
                stack.append(operand)
    return 0


cdef Py_ssize_t _move_to_host(list nodes) except -1:
    """Move nodes that share device memory to the host; return the freed bytes."""
    cdef Node node = nodes[0]
    cdef DeviceMemory memory
    cdef Mirror mirror = None
    cdef Buffer copy
    cdef char* data
    if node.kind != REMOTE or type(node.owner) is not DeviceMemory or not _is_idle(nodes):
        return 0    # a signal handler interfered
    memory = node.owner
    for each in nodes:
        mirror = mirror if mirror is not None else mirror_of(each)
    if mirror is not None:
        owner, data = mirror.memory, mirror.data
    else:
        try:
            owner = copy = new_buffer(node.span)
        except MemoryError:
            return 0
        read_memory(memory, node.data, copy.data, node.span)
        data = copy.data
        devices.state[node.device].copied_out += node.span
        devices.state[node.device].copies += 1
    for node in nodes:
        if node.kind == REMOTE and node.owner is memory:    # as above
            forget_value(node.device, <PyObject*>node, node.span)
            node.payload = None
            node.kind, node.owner, node.data = LEAF, owner, data
    return memory.nbytes
