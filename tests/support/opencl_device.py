"""The first OpenCL device, for tests that run on it; importing this skips a module where there is none."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api

pytest.importorskip("pyopencl")
DEVICE = "opencl:0"
if DEVICE not in la.devices():
    pytest.skip("there is no OpenCL device", allow_module_level=True)
NUMBER = la.devices().index(DEVICE)
DRIVER = api.device_table.driver_of(NUMBER)


def there(x):
    """Put an array on the device, in its own memory order."""
    return la.asarray(x).to_device(DEVICE)


def host_steps():
    """Return the names of the operations that ran on the host since the last call."""
    names = sorted({name for name, _ in DRIVER.host_steps})
    DRIVER.host_steps.clear()
    return names


def values(rng, shape, dtype):
    """Return numbers of a dtype, integers from its whole range."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.3
    if dtype.kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    made = rng.standard_normal(shape)
    return (made + 1j * rng.standard_normal(shape) if dtype.kind == "c" else made).astype(dtype)
