"""Arrays on devices."""
from lazyarr._core.frontend.handle cimport layout_of, new_handle, node_of
from lazyarr._core.frontend.lazy_array cimport LazyArray
from lazyarr._core.host.device_table cimport device_number
from lazyarr._core.ir.provenance cimport device_of_both
from lazyarr._core.runtime.transfer cimport transfer_node


def device_of(LazyArray x):
    """The number of the device that an array is on."""
    layout_of(x)
    return (x.node if x.root is None else x.root.node).device


cdef int common_device(object arrays) except -1:
    """The device of an operation on these arrays."""
    cdef int device = 0
    for x in arrays:
        device = device_of_both(device, device_of(x))
    return device


def to_device(LazyArray x, device):
    """The array on a device: itself if it is there, else a copy that is made when it is needed."""
    cdef int number = device_number(device)
    if number == device_of(x):
        return x
    return new_handle(transfer_node(node_of(x), number), False)
