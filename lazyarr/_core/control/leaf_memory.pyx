"""The memory of leaves and outputs of runners, on the host or a device."""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.allocator cimport Buffer, new_buffer
from lazyarr._core.host.device_memory cimport DeviceMemory, new_memory, read_memory, write_memory
from lazyarr._core.host.device_table cimport drivers
from lazyarr._core.ir.ndarrays cimport as_ndarray
from lazyarr._core.ir.node cimport LEAF, SCALAR, Node, first_element
from lazyarr._core.ir.placeholder cimport node_like
from lazyarr._core.runtime.kernel_launch cimport storage_of

from lazyarr._core.runtime.device_call import NoKernel


cdef object owner_of(Node node):
    """Return the owner of a value's memory."""
    return node if node.kind == SCALAR else node.owner


cdef int bind_value(Node leaf, Node operand) except -1:
    """Point a leaf at the value of a node, copied to the leaf's device if necessary."""
    leaf.owner, leaf.data = owner_of(storage_of(operand)), first_element(operand) - leaf.offset
    return put_in_place(leaf)


cdef int put_in_place(Node leaf) except -1:
    """Copy a leaf's value to the leaf's device, if it is elsewhere."""
    cdef Buffer buffer
    if leaf.typenum < 0:
        return 0
    if leaf.device:
        leaf.owner = value_in_memory(leaf.device, leaf.owner, &leaf.data, leaf.span)
    elif type(leaf.owner) is DeviceMemory:
        buffer = new_buffer(leaf.span)
        read_memory(leaf.owner, leaf.data, buffer.data, leaf.span)
        leaf.owner, leaf.data = buffer, buffer.data
    return 0


cdef DeviceMemory value_in_memory(int device, object owner, char** data, npy_intp nbytes):
    """Return device memory with a value, copied from the host if necessary; updates `data`."""
    cdef DeviceMemory memory
    if type(owner) is DeviceMemory:
        return owner
    memory = new_memory(device, nbytes)
    write_memory(memory, memory.data, data[0], nbytes)
    data[0] = memory.data
    return memory


cdef DeviceMemory own_memory(int device, Node node):
    """Return device memory that begins with a value, copied if the value has an offset."""
    cdef char* data = node.data
    cdef DeviceMemory memory = value_in_memory(device, owner_of(node), &data, node.span), made
    if data == memory.data:
        return memory
    made = new_memory(device, node.span)
    drivers[device].copy(made.handle, memory.handle, node.span, 0, data - memory.data)
    return made


cdef object number_of(Node node):
    """Return the number in a 0-d value, copied to the host if necessary."""
    cdef Node leaf = node_like(node, LEAF)
    bind_value(leaf, node)
    return as_ndarray(leaf).item()


cdef DeviceMemory copy_in_memory(int device, cnp.ndarray array):
    """Return device memory with a copy of an array in C order."""
    cdef DeviceMemory memory = new_memory(device, array.nbytes)
    write_memory(memory, memory.data, <char*>cnp.PyArray_DATA(array), array.nbytes)
    return memory


def memory_as(int device, Node operand not None):
    """Return device memory that begins with an operand, in the operand's layout."""
    cdef Node leaf = node_like(operand, LEAF)
    leaf.device = device
    bind_value(leaf, operand)
    return own_memory(device, leaf)


def first_in_order(int device, list operands, int count):
    """Return C-ordered device memory for each of the first operands."""
    for operand in operands[:count]:
        if not (<Node?>operand).contiguous:
            raise NoKernel("an operand in another order than C's")
    return [memory_as(device, operand) for operand in operands[:count]]
