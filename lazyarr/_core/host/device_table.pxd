"""The devices that there are."""

cdef enum:
    MAX_DEVICES = 32

cdef struct DeviceState:
    double latency, bandwidth   # of copies: seconds, bytes a second; 0 for none and for what the memory gives
    size_t live, peak           # bytes in its memory, and the most there were
    size_t copied_in, copied_out
    long long copies

cdef struct DeviceTable:
    int count
    DeviceState state[MAX_DEVICES]

cdef DeviceTable devices
cdef list drivers               # by number: what allocates, copies and computes there, None where the host does

cdef str device_name(int device)
cdef int device_number(object name) except -1


cdef inline bint accelerates(int device) noexcept:
    """Whether a device computes by itself, in memory that the host cannot address."""
    return device > 0 and drivers[device] is not None


cdef inline void note_memory(int device, Py_ssize_t change) noexcept:
    """Count bytes that came to lie in a device's memory, or left it."""
    cdef DeviceState* state = &devices.state[device]
    state.live += change
    if state.live > state.peak:
        state.peak = state.live
