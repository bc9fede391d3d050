"""The CUDA device of the tests: the machine's first one, else a mock that runs kernels on the CPU."""

import ctypes
import os

import numpy as np
import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr.gpu import discovery
from lazyarr.gpu.drivers import cuda, libcuda
from lazyarr.gpu.drivers.driver import on_device
from lazyarr.gpu.drivers.libcuda import CudaError
from lazyarr.gpu.generator.tile_kernels import Kernel
from support import cuda_mock

DEVICE = "cuda:0"
ENVIRONMENT = {}
"""Variables by which other processes find it."""

if DEVICE not in la.devices():
    if cuda_mock.COMPILER is None:
        pytest.skip("there is no CUDA device, and no C++ compiler for a mock of one", allow_module_level=True)
    ENVIRONMENT = cuda_mock.environment()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in ENVIRONMENT.items():
            patched.setitem(os.environ, name, value)
        missing = discovery._add_cuda()
    assert not missing, missing
NUMBER = la.devices().index(DEVICE)
DRIVER = api.device_table.driver_of(NUMBER)
CUDA = libcuda.library()


def there(x):
    return la.asarray(x).to_device(DEVICE)


def same(got, wanted):
    assert got.device == DEVICE
    np.testing.assert_array_equal(got.numpy(), wanted, strict=True)


def another_driver():
    """Return another driver of the same device, with its own resources."""
    return cuda.Driver("cuda:test", DRIVER._device, DRIVER._compiler)


def release_memory():
    """Release unused memory, so that the driver allocates the next block."""
    on_device(cuda.Driver._release)(DRIVER)


def failing(code, function="a function"):
    def fail(*args):
        raise CudaError(code, function)

    return fail


def trivial(name="fill"):
    """Return a kernel that stores a number from its layout."""
    text = ("struct layout { long long v[2]; };\n"
            f'extern "C" __global__ void {name}(const struct layout layout, char *to)\n'
            "{ if (threadIdx.x == 0 && blockIdx.x == 0) *(long long *)to = layout.v[1]; }\n")
    return Kernel(text, name, 0)


def filled(device, kernel, value):
    """Return the number that a trivial kernel stores."""
    block, found, launched = device.allocate(8), ctypes.c_int64(), [False]
    assert device.launch(device._build(kernel), 2, 32, [1, value], [block], launched) is None
    device.read(block, 0, ctypes.addressof(found), 8)
    assert launched == [True]
    return found.value
