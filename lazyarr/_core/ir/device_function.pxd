"""Functions that can run on devices."""

cdef class DeviceFunction:
    pass
