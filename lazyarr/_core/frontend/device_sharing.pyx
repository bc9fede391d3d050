"""Device memory shared with other code; `storage` does this for host memory.

It is shared for good: the base handle keeps it (`LazyArray.export`). Other code accesses it in its own streams. Before
memory is read or written here, those are awaited, and the host waits for its own writes.
"""
from cpython.object cimport PyObject

from lazyarr._core.host.device_memory cimport new_memory, write_memory
from lazyarr._core.host.device_table cimport drivers
from lazyarr._core.host.device_values cimport note_value
from lazyarr._core.ir.builder cimport cast_node, iterated_axes, opaque_node, update_node
from lazyarr._core.ir.node cimport REMOTE, byte_range, finish_layout, new_node, new_window
from lazyarr._core.ir.provenance cimport put_on
from lazyarr._core.ir.shape cimport shape_tuple
from lazyarr._core.runtime.evaluation cimport evaluate_nodes
from lazyarr._core.runtime.transfer cimport transfer_node

import numpy as np


cdef Node leaf_there(DeviceMemory memory, Node layout, npy_intp offset, npy_intp span):
    """Return a leaf on device memory."""
    cdef Node node = new_node(REMOTE, layout.ndim, layout.shape, layout.dtype, layout.typenum)
    cdef int d
    for d in range(node.ndim):
        node.strides[d] = layout.strides[d]
    node.offset, node.span = offset, span
    finish_layout(node)
    node.owner, node.data, node.waits = memory, memory.data, layout.waits
    put_on(node, memory.device)
    note_value(memory.device, <PyObject*>node, span)
    return node


cdef Node copy_there(DeviceMemory memory, Node layout):
    """Return a copy of a node's elements in device memory, including the gaps between them."""
    cdef npy_intp low, high
    cdef DeviceMemory copy
    _find_range(layout, &low, &high)
    copy = new_memory(memory.device, high - low)
    if high > low:
        drivers[memory.device].copy(copy.handle, memory.handle, high - low, 0, layout.offset + low)
    return leaf_there(copy, layout, -low, high - low)


cdef int _find_range(Node layout, npy_intp* low, npy_intp* high) noexcept:
    byte_range(layout.ndim, layout.shape, layout.strides, layout.itemsize, low, high)
    if layout.size == 0:
        low[0] = high[0] = 0
    return 0


cdef Node snapshot_there(LazyArray x):
    """Return a copy of the current values of an array on shared memory."""
    cdef LazyArray base = x if x.root is None else x.root
    cdef DeviceMemory memory = base.export
    cdef Node made
    drivers[memory.device].wait_for(None)
    made = copy_there(memory, x.node)
    drivers[memory.device].wait_for(None)   # others may write once this returns
    made.waits |= base.node.waits
    if x.unaligned:
        made = opaque_node("align", np.array, [made], shape_tuple(made), made.dtype, None, iterated_axes(made))
    return made


cdef int refresh(LazyArray base) except -1:
    """Drop what was fetched from shared memory, as other code may have written there."""
    cdef DeviceMemory memory = base.export
    drivers[memory.device].wait_for(None)
    base.node = leaf_there(memory, base.node, base.node.offset, base.node.span)
    return 0


cdef int write_there(LazyArray x, Node value) except -1:
    """Write to shared memory at once."""
    cdef LazyArray base = x if x.root is None else x.root
    cdef DeviceMemory memory = base.export
    cdef Node window = x.node, like, made
    cdef PyObject* root
    cdef npy_intp low, high, first
    if window.size == 0:
        return 0
    _find_range(window, &low, &high)
    like = new_window(window.ndim, window.shape, window.strides, -low, window.dtype, window.typenum)
    like.span = high - low
    if like.span == window.size * window.itemsize:
        made = cast_node(value, window.typenum, like)
    else:
        if value.typenum != window.typenum:
            value = cast_node(value, window.typenum, None)
        made = update_node(snapshot_there(x), like, value)
    if made.device != memory.device:
        made = transfer_node(made, memory.device)
    root = <PyObject*>made
    evaluate_nodes(&root, 1, False)
    drivers[memory.device].wait_for(None)
    first = window.offset + low
    if type(made.owner) is DeviceMemory:
        drivers[memory.device].copy(memory.handle, (<DeviceMemory>made.owner).handle, like.span, first, 0)
    else:   # values without room there
        write_memory(memory, memory.data + first, made.data, like.span)
    return refresh(base)
