"""Devices by number: 0 is the host, the others are virtual ones with memory of their own.

A virtual device computes with the host's threads. Its memory is the host's too, but is reached by copies only, whose
times can be set; so programs for several devices can be developed and tested anywhere.
"""
devices.count = 2


cdef str device_name(int device):
    """What NumPy calls the host, and "cpu:1" and so on."""
    return f"cpu:{device}" if device else "cpu"


cdef int device_number(object name) except -1:
    """The number of a device; ValueError for what is none."""
    cdef int device
    if isinstance(name, str):
        if name == "cpu:0":
            return 0
        for device in range(devices.count):
            if device_name(device) == name:
                return device
    known = ", ".join([repr(device_name(device)) for device in range(devices.count)])
    raise ValueError(f"there is no device {name!r}; there are {known}")


def names():
    """The names of all devices."""
    return [device_name(device) for device in range(devices.count)]


def number_of(name):
    """The number of a device."""
    return device_number(name)


def add(double latency, double bandwidth):
    """Add a virtual device, whose copies take so long; return its name."""
    if devices.count == MAX_DEVICES:
        raise ValueError(f"there can be {MAX_DEVICES} devices, the host among them")
    devices.state[devices.count].latency, devices.state[devices.count].bandwidth = latency, bandwidth
    devices.count += 1
    return device_name(devices.count - 1)


def stats(int device):
    """Bytes in the memory of a device, and copies."""
    cdef DeviceState* state = &devices.state[device]
    return {"live_bytes": state.live, "peak_bytes": state.peak, "copied_in": state.copied_in,
            "copied_out": state.copied_out, "copies": state.copies}
