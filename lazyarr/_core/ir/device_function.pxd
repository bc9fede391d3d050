"""Functions of nodes that devices run."""

cdef class DeviceFunction:
    pass
