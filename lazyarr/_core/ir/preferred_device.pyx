"""The device that `config.device` names: large arrays are made there, small ones on the host.

The host computes some thousand elements while a kernel is launched. So arrays with fewer bytes than tuning's
"path.device_bytes" are made there, and operations on them run there. The graph's elementwise operations on arrays of
the host whose results are large, such as outer sums of two lines, are computed on the device.
"""
from lazyarr._core.host.tunables cimport tunable_bytes

cdef enum:
    MOST_AT_ONCE = 1 << 15      # bytes of the arrays that small operations at once are about

preference = Preference(device=0, suspensions=0, least_bytes=1 << 16)
tunable_bytes("path.device_bytes", &preference.least_bytes, 1, 1 << 40,
              "From how many bytes on an array is made on config.device.")


def prefer(int device):
    """Set the preferred device, 0 for none."""
    preference.device = device


def suspend(int change):
    """Begin a block in which no device is preferred (1), or end it (-1)."""
    preference.suspensions += change


def is_large(made):
    """Whether an array belongs on the preferred device."""
    return made.nbytes >= preference.least_bytes


def takes_all():
    """Whether arrays belong there that are small enough to be computed at once."""
    return preference.least_bytes < MOST_AT_ONCE
