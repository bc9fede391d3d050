"""Devices: where arrays are and operations run.

    devices, Device         what there is, and what it holds
    device                  a block in which new arrays are made on a device
    add_virtual_device      a device of the host's, to develop and test programs for several

`_core/runtime/placement.pyx` runs graphs on them.
"""
import numbers

from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.inspect import formatting, markup
from lazyarr.ops.devices import Device, device

__all__ = ["Device", "add_virtual_device", "device", "devices"]

_table = core.device_table
_BYTES = ("live_bytes", "peak_bytes", "copied_in", "copied_out")


@api_boundary
def devices() -> "Devices":
    """List the available devices, the host first.

    Returns
    -------
    list of Device
        Notebooks show it as a table, with the memory in use on each device.

    See Also
    --------
    device : a block that creates new arrays on a device
    lazyarr.runtime.add_virtual_device : adds a device for tests

    Notes
    -----
    The device "cpu:1" is virtual: it computes with the threads of the host, but has its own memory that is reached
    only by copies. Programs for several devices can be tested with it on any machine.

    Examples
    --------
    >>> la.devices()[:2]
    [Device('cpu'), Device('cpu:1')]
    """
    return Devices(Device(name) for name in _table.names())


class Devices(list[Device]):
    """A list of devices, which notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        columns = ("device", "holds", "at most", "copied in", "copied out", "copies")
        rows = []
        for each in self:
            stats = each.memory_stats()
            rows.append((each, *(formatting.nbytes(stats[name]) for name in _BYTES), f"{stats['copies']:,}"))
        return markup.panel("Devices", markup.table("Devices and their memory", columns, rows, "<>>>>>"))


@api_boundary
def add_virtual_device(latency: float = 0.0, bandwidth: float | None = None) -> Device:
    """Add a virtual device, which computes on the host and has its own memory.

    Parameters
    ----------
    latency : float, optional
        The minimum time of each copy to or from it, in seconds.
    bandwidth : float, optional
        The speed of copies, in bytes per second. By default they are as fast as memory.

    Returns
    -------
    Device

    Raises
    ------
    ValueError
        For a negative latency, a bandwidth that is not positive, or if there are 32 devices.

    Examples
    --------
    >>> from lazyarr.runtime import add_virtual_device
    >>> slow = add_virtual_device(bandwidth=1e9)
    >>> la.zeros(3).to_device(slow).device == slow
    True
    """
    for given, name in ((latency, "latency"), (bandwidth, "bandwidth")):
        if not isinstance(given, numbers.Real | None):
            raise TypeError(f"{name} must be a number, got {type(given).__name__}")
    if not latency >= 0 or (bandwidth is not None and not bandwidth > 0):
        raise ValueError(f"a device has a latency of 0 or more and a positive bandwidth, got {latency}, {bandwidth}")
    return Device(_table.add(latency, bandwidth or 0.0))
