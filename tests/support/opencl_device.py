"""The first OpenCL device for tests; importing this module skips the test module if there is none."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api

pytest.importorskip("pyopencl")
DEVICE = "opencl:0"
ENVIRONMENT = {}
"""Variables by which other processes find it, besides those of this process."""
if DEVICE not in la.devices():
    pytest.skip("there is no OpenCL device", allow_module_level=True)
NUMBER = la.devices().index(DEVICE)
DRIVER = api.device_table.driver_of(NUMBER)


def there(x):
    """Copy an array to the device, in its own memory order."""
    return la.asarray(x).to_device(DEVICE)


def host_steps():
    """Return the names of the operations that ran on the host since the last call."""
    names = sorted({name for name, _ in DRIVER.host_steps})
    DRIVER.host_steps.clear()
    return names


def same(got, wanted):
    """Compare a device array with NumPy's result."""
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), wanted, strict=True)


def same_there(got, wanted):
    """Compare results with NumPy's, and check that nothing ran on the host."""
    pairs = zip(got, wanted, strict=True) if isinstance(wanted, tuple) else [(got, wanted)]
    for made, expected in pairs:
        same(made, expected)
    assert not DRIVER.host_steps


def values(rng, shape, dtype):
    """Return random numbers of a dtype, integers from its whole range."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.3
    if dtype.kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    made = rng.standard_normal(shape)
    return (made + 1j * rng.standard_normal(shape) if dtype.kind == "c" else made).astype(dtype)
