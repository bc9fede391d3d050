"""`__array_namespace_info__` of the array API standard: devices, dtypes, capabilities."""
import numpy as np

from lazyarr._core import api as core


class ArrayNamespaceInfo:
    """NumPy's information, extended by the devices besides the host."""

    def __init__(self):
        self._numpys = np.__array_namespace_info__()

    def capabilities(self):
        """Return the optional capabilities of the namespace."""
        return self._numpys.capabilities()

    def devices(self):
        """Return the names of all devices."""
        return core.device_table.names()

    def default_device(self):
        """Return the name of the device on which new arrays are created."""
        return str(_devices().current())

    def default_dtypes(self, *, device=None):
        """Return the default dtypes by kind; they are those of all devices."""
        return self._numpys.default_dtypes(device=_numpys_name(device))

    def dtypes(self, *, device=None, kind=None):
        """Return the available dtypes; they are those of all devices."""
        return self._numpys.dtypes(device=_numpys_name(device), kind=kind)


def _numpys_name(device):
    """Return a device for NumPy, which knows only the host."""
    return None if device is not None and _devices().is_device(device) else device


def _devices():
    from lazyarr.ops import devices  # not needed to import the namespace

    return devices
