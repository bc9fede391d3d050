"""Steps of a device that run on the host, on copies of their operands; results are copied to the device.

Results for which the device has no memory stay on the host, with a warning after the evaluation.
"""
from cpython.object cimport PyObject

from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory, read_memory, write_memory
from lazyarr._core.host.device_table cimport accelerates
from lazyarr._core.host.device_values cimport forget_value
from lazyarr._core.ir.fingerprint cimport Walk
from lazyarr._core.ir.node cimport LEAF, REMOTE, Node, has_value
from lazyarr._core.ir.step cimport Step
from lazyarr._core.ir.tile_program cimport TileProgram
from lazyarr._core.runtime.transfer cimport put_back

import warnings

cdef list _warnings = []        # issued after the evaluation


cpdef int warn_later(str text) except -1:
    """Queue a warning."""
    _warnings.append(text)
    return 0


cdef int note_no_room(object error) except -1:
    """Queue a warning about a value that stays on the host for lack of device memory."""
    return warn_later(f"{error}: it stays on the host")


cdef int issue_warnings() except -1:
    """Issue the queued warnings; the caller does not hold the evaluation lock."""
    cdef list texts = _warnings[:]
    _warnings.clear()       # a warning may be turned into an exception
    for text in texts:
        warnings.warn(text, RuntimeWarning)
    return 0


cdef list run_without_device(Walk* w, Step step, list aliases, HostRun run_on_host):
    """Run a step on the host, on copies of its operands, and copy its results to the device."""
    cdef list brought = [], seen
    cdef int i
    cdef Node node
    try:
        for node in _read_by(w, step):
            _bring(node, brought)
        seen = run_on_host(w, step, aliases)
    finally:
        for node, copy, memory in brought:
            put_back(node, copy, memory)    # unless an operation took over the copy
        for i in range(w.count):
            _take_to_device(<Node>w.nodes[i])
    return seen


cdef list _read_by(Walk* w, Step step):
    """Return the nodes whose memory a step may read: its operands, and the storage of those that are views."""
    cdef TileProgram p = step.program
    cdef set seen = set()
    cdef list found = [], stack = [] if step.node < 0 else [step.node]
    cdef Node node
    cdef int k
    if p is not None:
        stack += [p.load_node[k] for k in range(p.nload)] + [p.store_node[k] for k in range(p.nstore)]
        stack += [p.calls[k].node for k in range(p.ninstr)] + [p.fold_calls[k].node for k in range(p.nfold)]
    stack = [<Node>w.nodes[<int>at] for at in stack]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.data is not NULL:
            found.append(node)
        else:
            stack += [<Node>node.inputs[k] for k in range(node.ninputs)]
    return found


cdef int _bring(Node node, list brought) except -1:
    cdef DeviceMemory memory
    cdef Buffer copy
    if type(node.owner) is DeviceMemory:
        memory = node.owner
        copy = new_buffer(node.span)
        read_memory(memory, node.data, copy.data, node.span)
        brought.append((node, copy, memory))
        node.owner, node.data = copy, copy.data
    return 0


cdef int _take_to_device(Node node) except -1:
    """Copy a result from the host to its node's device, if there is memory."""
    cdef DeviceMemory memory
    cdef char* data = node.data
    if data is NULL or node.owner is None or node.typenum < 0 or type(node.owner) is DeviceMemory \
            or not accelerates(node.device) or has_value(node) and node.kind != REMOTE:
        return 0
    try:
        memory = new_memory(node.device, node.span)
        write_memory(memory, memory.data, data, node.span)
    except MemoryError as error:
        note_no_room(error)
        if node.kind == REMOTE:     # it stays on the host
            forget_value(node.device, <PyObject*>node, node.span)
            node.kind, node.device, node.devices = LEAF, 0, 0
        return 0
    node.owner, node.data = memory, memory.data
    return 0
