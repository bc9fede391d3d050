"""The memory of leaves and outputs of runners."""
cimport numpy as cnp
from numpy cimport npy_intp

from lazyarr._core.host.device_memory cimport DeviceMemory
from lazyarr._core.ir.node cimport Node

cdef object owner_of(Node node)
cdef int bind_value(Node leaf, Node operand) except -1
cdef object number_of(Node node)
cdef int put_in_place(Node leaf) except -1
cdef DeviceMemory value_in_memory(int device, object owner, char** data, npy_intp nbytes)
cdef DeviceMemory own_memory(int device, Node node)
cdef DeviceMemory copy_in_memory(int device, cnp.ndarray array)
