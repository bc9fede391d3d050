"""Devices by number: 0 is the host, the others have separate memory.

*Virtual* devices compute with the host's threads. Their memory is host memory, but only copies, with configurable
times, reach it; so programs for several devices can be developed and tested anywhere. *Accelerators* have a driver, see
`lazyarr/gpu`. They are searched for when a name is unknown, or all devices are requested.
"""
from lazyarr._core.host.suggestions import did_you_mean

devices.count = 2
cdef list _names = ["cpu", "cpu:1"]
drivers = [None, None]
# "find": a function that adds accelerators, None after the search; "missing": its note
cdef dict _finder = {"find": None, "missing": ""}


def set_finder(function):
    """Set the function that adds the accelerators; it returns a note for errors about missing devices.

    Concurrent callers must wait inside it.
    """
    _finder["find"] = function


cdef int _find_accelerators() except -1:
    find = _finder["find"]
    if find is not None:
        _finder["missing"] = find()
        _finder["find"] = None
    return 0


cdef str device_name(int device):
    """Return the name of a device: NumPy's for the host, then "cpu:1" and so on."""
    return _names[device]


cdef int device_number(object name) except -1:
    """Return the number of a device; ValueError for an unknown name."""
    if isinstance(name, str):
        if name == "cpu:0":
            return 0
        if name not in _names:
            _find_accelerators()
        if name in _names:
            return _names.index(name)
    hint = did_you_mean(name, _names) if name != "gpu" else ""  # which looks like "cpu"
    raise ValueError(f"there is no device {name!r}; there are {', '.join(map(repr, _names))}{_finder['missing']}{hint}")


def count():
    """Return the number of known devices."""
    return devices.count


def names():
    """Return the names of all devices."""
    _find_accelerators()
    return list(_names)


def name_of(int device):
    """Return the name of a device."""
    return _names[device]


def number_of(name):
    """Return the number of a device."""
    return device_number(name)


def driver_of(int device):
    """Return the driver of a device; None where the host computes."""
    return drivers[device]


def add(double latency, double bandwidth):
    """Add a virtual device with these copy costs; return its name."""
    cdef str name = _add(f"cpu:{len([driver for driver in drivers if driver is None])}", None)
    devices.state[devices.count - 1].latency, devices.state[devices.count - 1].bandwidth = latency, bandwidth
    return name


def add_accelerator(str name, driver):
    """Add a device with a driver, unless an interrupted search has added it."""
    return name if name in _names else _add(name, driver)


cdef str _add(str name, object driver):
    if devices.count == MAX_DEVICES:
        raise ValueError(f"there can be {MAX_DEVICES} devices, the host among them")
    _names.append(name)
    drivers.append(driver)
    devices.count += 1
    return name


def stats(int device):
    """Return the live and peak bytes of a device, and its copies."""
    cdef DeviceState* state = &devices.state[device]
    return {"live_bytes": state.live, "peak_bytes": state.peak, "copied_in": state.copied_in,
            "copied_out": state.copied_out, "copies": state.copies}
