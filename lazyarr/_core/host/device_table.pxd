"""The table of devices."""

cdef enum:
    MAX_DEVICES = 32

cdef struct DeviceState:
    double latency, bandwidth   # of copies: seconds, bytes per second; 0: none, unlimited
    size_t live, peak           # live bytes in its memory, and their peak
    size_t copied_in, copied_out
    long long copies

cdef struct DeviceTable:
    int count
    DeviceState state[MAX_DEVICES]

cdef DeviceTable devices
cdef list drivers               # by device: the driver, None where the host computes

cdef str device_name(int device)
cdef int device_number(object name) except -1


cdef inline bint accelerates(int device) noexcept:
    """Return whether a device is an accelerator, with memory that the host cannot address."""
    return device > 0 and drivers[device] is not None


cdef inline void note_memory(int device, Py_ssize_t change) noexcept:
    """Count bytes allocated (or freed) in a device's memory."""
    cdef DeviceState* state = &devices.state[device]
    state.live += change
    if state.live > state.peak:
        state.peak = state.live
