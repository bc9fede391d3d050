"""Arrays on devices, and exchange of device memory with other code."""
from cpython.object cimport PyObject
from numpy cimport npy_intp

from lazyarr._core.frontend.device_sharing cimport copy_there, is_shared_there, leaf_there
from lazyarr._core.frontend.handle cimport layout_of, new_handle, node_of, storage_of
from lazyarr._core.frontend.pending_queue cimport evaluate_list, link
from lazyarr._core.host.device_memory cimport DeviceMemory, memory_of
from lazyarr._core.host.device_table cimport device_name, device_number, drivers
from lazyarr._core.ir.builder cimport stored_node
from lazyarr._core.ir.history cimport history_is_kept
from lazyarr._core.ir.leaf cimport code_of
from lazyarr._core.ir.node cimport (
    EMPTY, MAX_DIMS, REMOTE, SCALAR, Node, byte_range, finish_layout, has_value, new_window)
from lazyarr._core.ir.overlap cimport window_overlaps_itself
from lazyarr._core.ir.provenance cimport device_of_both, put_on
from lazyarr._core.runtime.transfer cimport transfer_node, value_on

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o) noexcept


def device_of(LazyArray x):
    """Return the number of an array's device."""
    layout_of(x)
    return (x.node if x.root is None else x.root.node).device


cdef int common_device(object arrays) except -1:
    """Return the device of an operation on these arrays."""
    cdef int device = 0
    for x in arrays:
        device = device_of_both(device, device_of(x))
    return device


def to_device(LazyArray x, device):
    """Return the array on a device: itself if it is there, else a lazy copy.

    Operations on arrays moved to the host run there, whatever the preferred device.
    """
    cdef int number = device_number(device)
    cdef LazyArray moved = x if number == device_of(x) else new_handle(_node_there(node_of(x), number), False)
    cdef Node node = moved.node if moved.root is None else moved.root.node
    if number == 0 and node.kind != SCALAR:
        node.stays_on_host = True
    return moved


cdef Node _node_there(Node source, int device):
    """Return a node with the value of `source` on a device; undefined contents are not copied."""
    cdef Node node
    cdef int d
    if source.kind != EMPTY or source.data is not NULL or source.typenum < 0:
        return transfer_node(source, device)
    node = stored_node(EMPTY, source.ndim, source.shape, source.dtype, source.typenum, False)
    for d in range(source.ndim):
        node.strides[d] = source.strides[d]
    node.offset, node.span = source.offset, source.span
    finish_layout(node)
    put_on(node, device)
    return node


def bring_to_host(LazyArray x):
    """Move a writeable array, and all that shares its memory, to the host, and return it.

    Other code is going to write to its memory.
    """
    cdef LazyArray base = x if x.root is None else x.root
    if device_of(x) == 0 or x.scalar or not x.writeable:
        return x
    if is_shared_there(base):
        raise ValueError(f"the memory of this array is lent on {device_name(base.node.device)}: "
                         "move the array to the host with to_device")
    base.node = transfer_node(base.node, 0)
    link(base)
    return x


# ---- exchange with other code -------------------------------------------------------------------------


cdef bint is_borrowed(LazyArray base):
    """Return whether the array is on device memory owned by other code."""
    return type(base.node.owner) is DeviceMemory \
        and getattr((<DeviceMemory>base.node.owner).handle, "owner", None) is not None


def lend_on_device(LazyArray x, bint writeable):
    """Evaluate an array on its device; return its memory and the offset of its first element.

    Later writes to the array do not affect the memory. If it is to be `writeable`, both share it for good and see each
    other's writes.
    """
    cdef LazyArray base
    cdef DeviceMemory memory
    layout_of(x)
    base = storage_of(x)
    if is_shared_there(base):
        return base.export, x.node.offset
    memory = _memory_there(base)
    if writeable:
        memory = None
        memory = _share(base)
    return memory, x.node.offset


cdef DeviceMemory _memory_there(LazyArray base):
    """Return the memory of an array's values on its device, which keeps them."""
    cdef int device = base.node.device
    cdef Node node
    if not has_value(base.node):
        evaluate_list([base.node], False)
    node = base.node
    if node.kind != REMOTE:     # it was fetched to the host
        node = value_on(node, device)
        evaluate_list([node], False)
    if type(node.owner) is not DeviceMemory:
        raise MemoryError(f"an array of {node.span:,} bytes has no room on its device")
    return node.owner


cdef DeviceMemory _share(LazyArray base):
    """Let the array keep its memory for good, a copy if anything else refers to it."""
    if history_is_kept() or base.node.origin is not None or base.node.pinned:
        raise BufferError("other code could write to this array, of which derivatives may be taken: pass on a copy")
    if base.node.kind != REMOTE or is_borrowed(base) or Py_REFCNT(<PyObject*>base.node) > 1 \
            or Py_REFCNT(<PyObject*>base.node.owner) > 1:
        base.node = copy_there(_memory_there(base), base.node)
    # host copies do not belong to the new node
    base.node = leaf_there(base.node.owner, base.node, base.node.offset, base.node.span)
    base.export, base.exposed = base.node.owner, True
    return base.export


def adopt_on_device(int device, size_t address, shape, strides, dtype, owner, bint writeable):
    """Return a LazyArray on device memory that `owner` keeps alive; each sees the other's writes."""
    cdef npy_intp extents[MAX_DIMS]
    cdef npy_intp steps[MAX_DIMS]
    cdef npy_intp low, high
    cdef int d, ndim = <int>len(shape)
    cdef DeviceMemory memory
    cdef LazyArray made
    cdef Node window
    for d in range(ndim):
        extents[d], steps[d] = shape[d], strides[d]
    window = new_window(ndim, extents, steps, 0, dtype, code_of(dtype))
    byte_range(ndim, extents, steps, window.itemsize, &low, &high)
    if window.size == 0:
        low = high = 0
    memory = memory_of(device, drivers[device].borrow(address + low, high - low, owner), high - low)
    memory.is_read_only = not writeable
    made = new_handle(leaf_there(memory, window, -low, high - low), False)
    made.writeable = writeable and not window_overlaps_itself(window)   # like NumPy's broadcast arrays
    made.export, made.exposed = memory, True
    return made
